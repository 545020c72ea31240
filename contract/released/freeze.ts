import { readFileSync, writeFileSync } from 'node:fs';
import { buildOpenApi } from '../openapi.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
writeFileSync(new URL(`./${version}.json`, import.meta.url), `${JSON.stringify(buildOpenApi(), null, 1)}\n`);
