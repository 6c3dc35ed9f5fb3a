"""What keeps the documents true: parts of them that are made from the source."""
