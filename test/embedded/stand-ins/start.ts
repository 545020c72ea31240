import { join } from 'node:path';
import { start } from '../../../dev/start.ts';

const standIn = (name: string) => [join(import.meta.dirname, `${name}.ts`)];

process.exitCode = await start({
  env: process.env,
  programs: { migrator: standIn('migrate'), api: standIn('api'), worker: standIn('worker'), admin: standIn('admin') },
  print: console.log,
});
