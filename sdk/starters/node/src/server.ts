import { createServer } from 'node:http';
import { app } from './app.ts';
import { requireSettings } from './settings.ts';

requireSettings();
const port = Number(process.env.PORT ?? 4242);
createServer(app).listen(port, () => console.log(`The shop is open: http://localhost:${port}`));
