import pg from 'pg';

const [, verb] = process.argv.slice(2);
const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
if (verb === 'create') {
  const email = process.argv.at(-1);
  const { rows } = await client.query('INSERT INTO account (email) VALUES ($1) RETURNING id', [email]);
  const [{ id }] = rows;
  if (process.env.LOSE_THE_ANSWER === undefined) {
    console.log(JSON.stringify({ id: `acct_${id}`, sandbox_key: `sk_sandbox_${id}`, live_key: `sk_live_${id}` }));
  }
} else {
  const { rows } = await client.query('SELECT id, email FROM account');
  for (const row of rows) console.log(JSON.stringify(row));
}
await client.end();
