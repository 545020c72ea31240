import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { settingNames } from '../../server/config.ts';
import { SHOWN_NEVER } from '../../server/config-kinds.ts';

const FOLDER = resolve(import.meta.dirname, '../../deploy');
const CHART = join(FOLDER, 'helm/fatura');
const read = (...path: string[]): string => readFileSync(join(...path), 'utf8');

describe('the chart', () => {
  const values = parse(read(CHART, 'values.yaml'));
  const isValid = new Ajv2020({ strict: false }).compile(JSON.parse(read(CHART, 'values.schema.json')));
  const entry = { name: 'loja', key: 'key' };
  const takes = (given: object): boolean => isValid({ ...values, ...given });

  /** Where a setting can be given. */
  const placesOf = (name: string): string[] => [
    ...(takes({ settings: { ...values.settings, [name]: 'text' } }) ? ['settings'] : []),
    ...(takes({ secrets: { ...values.secrets, [name]: entry } }) ? ['secrets'] : []),
  ];

  /** The chart makes them of other values. */
  const OF_THE_CHART = ['MODES', 'PUBLIC_URL'];
  /** The probes know the port, a command its operator; the rest is of `npm start`, or another way to say the same. */
  const OF_NOBODY = ['PORT', 'HOST', 'FATURA_OPERATOR', 'DATA_DIR', 'TEMPORAL_UI_PORT', 'ENCRYPTION_KEY'];
  /** Each process has a login of its own. */
  const isOfOneProcess = (name: string): boolean => name.startsWith('DATABASE_');

  test('is valid as it is, and refuses what it does not know', () => {
    expect([isValid(values), isValid.errors]).toEqual([true, null]);
    expect(placesOf('TEMPORAL_ADRESS')).toEqual([]);
    expect(takes({ settings: { ...values.settings, TRUST_PROXY: 1 } })).toBe(false);
  });

  test.each(settingNames)('takes %s where it belongs', (name) => {
    const isApart = OF_THE_CHART.includes(name) || OF_NOBODY.includes(name) || isOfOneProcess(name);
    expect(placesOf(name)).toEqual(isApart ? [] : [SHOWN_NEVER.has(name) ? 'secrets' : 'settings']);
  });

  test('takes any variable for all processes and for one, and whole Secrets', () => {
    const env = [
      { name: 'DATABASE_READ_URL', valueFrom: { secretKeyRef: entry } },
      { name: 'AWS_REGION', value: 'sa-east-1' },
    ];
    for (const process of ['all', ...Object.keys(values.databases)])
      expect(takes({ extraEnv: { [process]: env } })).toBe(true);
    expect(takes({ envFrom: [{ secretRef: { name: 'fatura-aws' } }] })).toBe(true);
    expect(takes({ extraEnv: { proxy: env } })).toBe(false);
    expect(takes({ extraEnv: { all: [{ name: 'AWS_REGION' }] } })).toBe(false);
  });

  test('has its workers share the runs', () => {
    expect([values.worker.pods.min, values.settings.RUN_SHARDS]).toEqual([2, '4']);
  });

  test('has the environment of each process in its only container', () => {
    const templates = readdirSync(join(CHART, 'templates')).map((name) => read(CHART, 'templates', name));
    const count = (what: RegExp) => templates.map((text) => [...text.matchAll(what)].length);
    expect(count(/include "fatura\.environment"/g)).toEqual(count(/^ +containers:$/gm));
    expect(count(/^ +- name: (?:admin|migrate|\{\{ \$process \}\})$/gm)).toEqual(count(/^ +containers:$/gm));
  });
});

interface Service {
  readonly image: string;
  readonly env_file: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly ulimits: { readonly core: number };
}

describe('Compose', () => {
  const { services } = parse(read(FOLDER, 'compose.yaml'), { merge: true });
  const ours = Object.entries<Service>(services).filter(([, { image }]) => image.includes('FATURA_IMAGE'));

  test('gives each of our processes the settings of a file, and says itself what it alone knows', () => {
    const given = ours.map(([name, { env_file: files, environment }]) => ({
      name,
      files,
      environment: Object.keys(environment).sort(),
    }));
    const environment = ['DATABASE_URL', 'ENCRYPTION_KEYS', 'PUBLIC_URL', 'TEMPORAL_ADDRESS', 'TRUST_PROXY'];
    expect(given).toEqual(
      ['migrate', 'api', 'worker', 'admin', 'audit'].map((name) => ({
        name,
        files: ['./compose/settings.env'],
        environment,
      })),
    );
  });

  test('has no process of ours write what its memory holds', () => {
    expect(ours.map(([, { ulimits }]) => ulimits)).toEqual(ours.map(() => ({ core: 0 })));
  });

  test('has an example of that file with settings that there are', () => {
    const named = [...read(FOLDER, 'compose/settings.env.example').matchAll(/^# (\w+)=/gm)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name = '') => !settingNames.includes(name))).toEqual([
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
    ]);
  });
});

test.each(['api', 'worker'])('systemd gives the %s the settings of all, and behind them its own', (name) => {
  const files = [...read(FOLDER, `systemd/fatura-${name}.service`).matchAll(/^EnvironmentFile=(.+)$/gm)];
  expect(files.map(([, file]) => file)).toEqual(['/etc/fatura/env', `/etc/fatura/${name}.env`]);
});
