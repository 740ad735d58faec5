"""What happens to a PDF after printing: encryption with an empty user password, linearisation, packing, turned pages."""

import pikepdf

ENCRYPTED = {
    "encrypted-rc4-40": {"R": 2, "aes": False, "metadata": False},
    "encrypted-rc4-128": {"R": 3, "aes": False, "metadata": False},
    "encrypted-aes-128": {"R": 4, "aes": True},
    "encrypted-aes-256": {"R": 6, "aes": True},
}
FEATURES = {*ENCRYPTED, "linearised", "object-streams", "no-object-streams", "turned-page"}


def turn(page):
    """Stores the page lying on its side, and says by /Rotate that viewers set it upright."""
    left, low, right, high = (float(edge) for edge in page.mediabox)
    page.contents_add(f"q 0 1 -1 0 {high:g} 0 cm\n".encode(), prepend=True)
    page.contents_add(b"\nQ")
    page.mediabox = [0, 0, high - low, right - left]
    page.rotate(90, relative=False)


def finish(path, features):
    wanted = FEATURES & set(features)
    if not wanted:
        return
    with pikepdf.open(path, allow_overwriting_input=True) as document:
        if "turned-page" in wanted:
            for page in document.pages:
                turn(page)
        options = {"linearize": "linearised" in wanted}
        if "object-streams" in wanted:
            options["object_stream_mode"] = pikepdf.ObjectStreamMode.generate
        if "no-object-streams" in wanted:
            options["object_stream_mode"] = pikepdf.ObjectStreamMode.disable
        of = [ENCRYPTED[feature] for feature in wanted if feature in ENCRYPTED]
        if of:
            options["encryption"] = pikepdf.Encryption(user="", owner="gold", **of[0])
        else:
            options["deterministic_id"] = True
        document.save(path, **options)
