import { createServer } from 'node:http';
import { open, requireSettings } from './open.ts';

requireSettings();
const { app } = await import('./app.ts'); // it reads the settings as it loads
open(createServer(app));
