import { serve } from '@hono/node-server';
import { app } from './app.ts';
import { requireSettings } from './settings.ts';

requireSettings();
const port = Number(process.env.PORT ?? 4242);
serve({ fetch: app.fetch, port }, () => console.log(`The shop is open: http://localhost:${port}`));
