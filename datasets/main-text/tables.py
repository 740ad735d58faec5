"""LightGBM's trees in the text form that src/text/choice/model.rs reads."""

import numpy as np


def tree_line(root):
    """A tree in preorder: `feature:threshold` an inner node, left if value <= threshold, `=value` a leaf."""
    out, stack = [], [root]
    while stack:
        node = stack.pop()
        if "split_feature" not in node:
            out.append(f"={node['leaf_value']:.4g}")
            continue
        if node["decision_type"] != "<=" or node["missing_type"] != "None":
            raise ValueError(f"a question that the tables have no form for: {node}")
        limit = float(f"{np.float32(node['threshold']):.7g}")
        out.append(f"{node['split_feature']}:{limit!r}")
        stack += [node["right_child"], node["left_child"]]
    return " ".join(out)


def write_table(boosters, path, names, *comments):
    """The trees of all boosters, one after the other: their sum is the sum of what the boosters say.

    The names are those of the features by number, as the example dump_features writes them."""
    trees = [tree_line(tree["tree_structure"]) for booster in boosters for tree in booster.dump_model()["tree_info"]]
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(f"# {line}\n" for line in comments)
        out.write(f"features: {' '.join(names)}\n")
        out.writelines(f"{line}\n" for line in trees)
