"""Games: kept in the record and brought back, sent from one record to another, played from a script."""
