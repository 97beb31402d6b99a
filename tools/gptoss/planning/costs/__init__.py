"""What tokens cost at prices that somebody pays."""
