import { app } from './app.ts';
import { requireSettings } from './settings.ts';

requireSettings();
const port = Number(process.env.PORT ?? 4242);
app.listen(port, (error) => {
  if (error) throw error;
  console.log(`The shop is open: http://localhost:${port}`);
});
