"""Who it is: a credential in, an identity out, or a refusal. It knows no table and no connection."""
