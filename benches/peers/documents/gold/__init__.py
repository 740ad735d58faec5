"""What `print_gold.py` is made of: sentences, documents, printers, and the truth that is written beside each print."""
