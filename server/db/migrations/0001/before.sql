-- What the tables are made of. The low ten bits of an id are the last two characters of a TypeID, and random in a UUIDv7.
CREATE FUNCTION fatura_shard(id text) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (greatest(strpos('0123456789abcdefghjkmnpqrstvwxyz', left(right(id, 2), 1)) - 1, 0) * 32
    + greatest(strpos('0123456789abcdefghjkmnpqrstvwxyz', right(id, 1)) - 1, 0))::smallint;
