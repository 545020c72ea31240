import { createAdaptorServer } from '@hono/node-server';
import { open, requireSettings } from './open.ts';

requireSettings();
const { app } = await import('./app.ts'); // it reads the settings as it loads
open(createAdaptorServer({ fetch: app.fetch }));
