"""What checkers of types know of the package: lines that end in ``# wrong`` are errors, the others are none."""

import webmill

page = webmill.extract("<p>The mill.")
title: str | None = page.title
cuts: list[str] = page.cuts
page.titel  # wrong
text: str = webmill.extract("<p>The mill.", format="text")
wanted: str = webmill.extract("<p>The mill.", format="text", language="en")  # wrong
items: list[webmill.Document] = webmill.extract("<rss/>", input="feed")
webmill.extract("<p>The mill.", format="nope")  # wrong
webmill.extract(b"%PDF", input="document").pages
near: webmill.ArrowTable = webmill.near_duplicates(["a b c"])
webmill.near_duplicates(3)  # wrong
near.num_row  # wrong
webmill.pagerank(["a"], ["b"]).to_polars().height
webmill.captures("a.warc", kinds="responses")  # wrong
for capture in webmill.captures("a.warc", kinds=["response"], errors="skip"):
    url: str = capture.url
    status: int = capture.status  # wrong
webmill.train(["a"], ["b"], method="magic")  # wrong
model: webmill.Classifier = webmill.train(["a"], [1])
graph: webmill.Graph = webmill.Graph(["a"], ["b"], [1.0])
results: webmill.Results = webmill.run("a.warc", "out")
results.folder
version: str = webmill.__version__
