"""What `duplicates.py` is made of: sets, exact truth, scores, peers, speed."""
