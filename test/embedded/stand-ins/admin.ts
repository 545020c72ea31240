import pg from 'pg';

const [noun, verb] = process.argv.slice(2);
const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
if (noun === 'staff') {
  // Nobody is set up, and whoever is invited gets a link.
  if (verb === 'invite') console.log(JSON.stringify({ link: 'http://127.0.0.1:3000/dashboard/setup#a-link' }));
} else if (verb === 'create') {
  const email = process.argv.at(-1);
  const { rows } = await client.query('INSERT INTO account (email) VALUES ($1) RETURNING id', [email]);
  const [{ id }] = rows;
  if (process.env.LOSE_THE_ANSWER === undefined) {
    console.log(JSON.stringify({ id: `acct_${id}`, sandbox_key: `sk_sandbox_${id}`, live_key: `sk_live_${id}` }));
  }
} else {
  const { rows } = await client.query('SELECT id, email FROM account');
  for (const row of rows) console.log(JSON.stringify({ ...row, id: `acct_${row.id}` }));
}
await client.end();
