"""Fonts by language; all under the SIL Open Font License (Noto, Amiri) or Bitstream Vera's (DejaVu), from Debian's packages."""

SERIF = {
    "zh-Hans": "Noto Serif CJK SC",
    "zh-Hant": "Noto Serif CJK TC",
    "ja": "Noto Serif CJK JP",
    "ko": "Noto Serif CJK KR",
    "ar": "Amiri",
}
SANS = {
    "zh-Hans": "Noto Sans CJK SC",
    "zh-Hant": "Noto Sans CJK TC",
    "ja": "Noto Sans CJK JP",
    "ko": "Noto Sans CJK KR",
    "ar": "Noto Naskh Arabic",
}
NOTO = "/usr/share/fonts/truetype/noto/"
FILES = {"serif": NOTO + "NotoSerif-Regular.ttf", "serif-bold": NOTO + "NotoSerif-Bold.ttf",
         "sans": NOTO + "NotoSans-Regular.ttf", "sans-bold": NOTO + "NotoSans-Bold.ttf",
         "arabic": NOTO + "NotoNaskhArabic-Regular.ttf",
         "amiri": "/usr/share/fonts/opentype/fonts-hosny-amiri/Amiri-Regular.ttf",
         "chinese": "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc"}


def family(lang, sans=False):
    return (SANS if sans else SERIF).get(lang, "Noto Sans" if sans else "Noto Serif")
