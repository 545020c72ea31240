import { statfs } from 'node:fs/promises';
import { mailOptions } from '../../server/compose.ts';
import type { Config } from '../../server/config.ts';
import { SECOND_MS } from '../../server/kernel/time.ts';
import { createMailer } from '../../server/mail/mailer.ts';
import { plainTextWays } from '../../server/plain-text.ts';
import { probeTemporal } from '../../workflows/probe.ts';
import { type Examination, fine, skipped, wrong } from './diagnosis.ts';

const ANSWER_MS = 10 * SECOND_MS;
const GIB = 1_073_741_824;
const FREE_SHARE_MIN = 0.1;

/** What of the settings is about what is around the service. */
export const surroundingChecks: readonly Examination<Config>[] = [
  {
    name: 'temporal',
    remedy: 'see that Temporal runs, and that TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and its TLS settings are its own',
    async look({ temporal }) {
      if (temporal.address === null) return skipped('TEMPORAL_ADDRESS is not set');
      await probeTemporal(temporal);
      return fine(`${temporal.address} answers for the namespace ${temporal.namespace}`);
    },
  },
  {
    name: 'search_attributes',
    remedy: 'start a worker once, which makes them, or run the command that its log names',
    async look({ temporal }) {
      if (temporal.address === null) return skipped('TEMPORAL_ADDRESS is not set');
      const { missingAttributes: missing } = await probeTemporal(temporal);
      if (missing === null) return skipped('the namespace does not tell of its search attributes');
      if (missing.length > 0) return wrong(`the namespace lacks ${missing.join(', ')}`, this.remedy);
      return fine('the namespace has the search attributes of cases');
    },
  },
  {
    name: 'smtp',
    remedy: 'correct SMTP_URL: the host and port, and the user and password that the mail server knows',
    async look(config) {
      const mail = mailOptions(config);
      if (mail === undefined) return skipped('SMTP_URL is not set: e-mails are kept and not sent');
      const mailer = createMailer(mail);
      try {
        await mailer.verify();
      } finally {
        mailer.close();
      }
      return fine('the mail server takes the login; `admin mail test` sends a letter');
    },
  },
  {
    name: 'tls',
    remedy:
      'use https in PUBLIC_URL and VAULT_ADDR, sslmode=verify-full in DATABASE_URL and DATABASE_READ_URL, and TEMPORAL_API_KEY or a setting of TLS to Temporal: docs/operations.md#encrypted-ways',
    async look(config) {
      const [first, ...more] = plainTextWays(config);
      return first === undefined ? fine('nothing goes in plain text') : wrong([first, ...more].join('; '), this.remedy);
    },
  },
  {
    name: 'public_url',
    remedy: 'start the API and see that the proxy passes PUBLIC_URL on to it: `curl $PUBLIC_URL/healthz`',
    async look({ publicUrl }) {
      const answer = await fetch(`${publicUrl}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS) });
      await answer.body?.cancel();
      return answer.ok
        ? fine(`${publicUrl} leads here`)
        : wrong(`${publicUrl}/healthz answers ${answer.status}`, this.remedy);
    },
  },
  {
    name: 'disk',
    remedy: 'make room, or move DATA_DIR to a larger disk',
    async look({ databaseUrl, dataDir }) {
      if (databaseUrl !== null) return skipped('DATABASE_URL is set: nothing is kept in DATA_DIR');
      const { bavail, blocks, bsize } = await statfs(dataDir);
      const free = bavail * bsize;
      const told = `${(free / GIB).toFixed(1)} GiB of ${((blocks * bsize) / GIB).toFixed(1)} are free in ${dataDir}`;
      return free < GIB || bavail < blocks * FREE_SHARE_MIN ? wrong(told, this.remedy) : fine(told);
    },
  },
];
