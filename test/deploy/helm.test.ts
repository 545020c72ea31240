import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { parseConfig } from '../../server/config.ts';
import { startApi } from '../support/api.ts';
import { installGo } from '../support/go.ts';
import { installPython } from '../support/python.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');
const CHART = join(REPOSITORY, 'deploy/helm/fatura');
/** Its build takes minutes where nothing of it is kept yet. */
const BUILT_MS = 1_800_000;
const HELM_MS = 60_000;
/** The oldest that the chart takes, and the newest whose schemas there are. */
const KUBERNETES = ['1.27.0', '1.37.0'] as const;

interface Container {
  readonly image: string;
  readonly command: readonly string[];
  readonly env: readonly {
    name: string;
    value?: string;
    valueFrom?: { secretKeyRef: { name: string; key: string } };
  }[];
  readonly envFrom?: readonly object[];
  readonly volumeMounts?: readonly object[];
  readonly ports?: readonly { name: string; containerPort: number }[];
  readonly securityContext: object;
  readonly resources: { readonly requests?: object };
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface PodSpec {
  readonly enableServiceLinks: boolean;
  readonly automountServiceAccountToken: boolean;
  readonly serviceAccountName?: string;
  readonly volumes?: readonly object[];
  readonly securityContext: object;
  readonly terminationGracePeriodSeconds?: number;
  readonly containers: readonly [Container];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly replicas?: number;
    readonly selector?: { readonly matchLabels?: object };
    readonly template?: { readonly metadata: { readonly labels: object }; readonly spec: PodSpec };
    readonly tls?: readonly { hosts: string[]; secretName?: string }[];
    readonly rules?: readonly { host: string }[];
    readonly scaleTargetRef?: { readonly name: string };
  };
}

const folder = mkdtempSync(join(tmpdir(), 'fatura-helm-'));
afterAll(() => rmSync(folder, { recursive: true }));

const helm = (...args: string[]): string =>
  execFileSync(installGo('helm.sh/helm/v3/cmd/helm', 'v3.22.0'), args, { encoding: 'utf8', stdio: 'pipe' });

const LEAST = { settings: { TEMPORAL_ADDRESS: 'temporal:7233' }, hosts: { both: 'cobranca.loja.example' } };
const ofSecret = (key: string) => ({ name: 'loja', key });

/** Everything that can be set. */
const MOST = {
  modes: 'apart',
  hosts: { live: 'api.loja.example', sandbox: 'sandbox.api.loja.example' },
  image: { repository: 'registry.loja.example/fatura', tag: '1.2.3', pullSecrets: ['registry'] },
  settings: {
    TEMPORAL_ADDRESS: 'temporal:7233',
    TEMPORAL_NAMESPACE: 'fatura',
    MAIL_FROM: 'Loja <conta@loja.example>',
    DRAIN_SECONDS: '20',
    OIDC_ISSUER: 'https://login.loja.example',
    OIDC_CLIENT_ID: 'fatura',
    RUN_SHARDS: '4',
    CHARGES_AT_ONCE: '640',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
  },
  secrets: {
    SMTP_URL: ofSecret('smtp'),
    METRICS_TOKEN: ofSecret('metrics'),
    TEMPORAL_API_KEY: ofSecret('temporal'),
    OIDC_CLIENT_SECRET: ofSecret('oidc'),
  },
  extraEnv: {
    all: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/authorities/ca.pem' }],
    'api-live': [
      { name: 'DATABASE_READ_URL', valueFrom: { secretKeyRef: ofSecret('read') } },
      { name: 'LOG_LEVEL', value: 'debug' },
    ],
  },
  envFrom: [{ secretRef: { name: 'fatura-aws' } }],
  serviceAccount: 'fatura',
  volumes: [{ name: 'authorities', configMap: { name: 'authorities' } }],
  volumeMounts: [{ name: 'authorities', mountPath: '/authorities', readOnly: true }],
  databases: { 'api-live': ofSecret('api') },
  api: { pods: { min: 3, max: 9, cpu: 60 } },
  worker: { pods: { min: 2, max: 4, cpu: 70 } },
  ingress: {
    enabled: true,
    className: 'nginx',
    annotations: { 'nginx.ingress.kubernetes.io/proxy-read-timeout': '30' },
    certificates: { live: 'live-tls', sandbox: 'sandbox-tls' },
  },
  podAnnotations: { 'prometheus.io/scrape': 'true' },
  podLabels: { team: 'cobranca' },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'only', operator: 'Equal', value: 'fatura', effect: 'NoSchedule' }],
  affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
};

const WITHOUT_ADMIN = { ...LEAST, admin: { enabled: false } };

function valuesFile(values: object): string {
  const file = join(folder, 'values.yaml');
  writeFileSync(file, stringify(values));
  return file;
}

const render = (values: object): string =>
  helm('template', 'fatura', CHART, '--kube-version', KUBERNETES[0], '--values', valuesFile(values));

const manifestsOf = (values: object): Manifest[] => parseAllDocuments(render(values)).map((one) => one.toJS());

const podOf = ({ spec }: Manifest): PodSpec | undefined => spec.template?.spec;

/** Each pod by the name of what makes it. */
const podsOf = (values: object): Map<string, PodSpec> =>
  new Map(
    manifestsOf(values).flatMap((manifest) => {
      const pod = podOf(manifest);
      return pod === undefined ? [] : [[manifest.metadata.name, pod] as const];
    }),
  );

/** Values that the secret settings may have. */
const REVEALED: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://api:a1b2c3@postgres/fatura',
  ENCRYPTION_KEYS: Buffer.alloc(32, 'chave').toString('base64'),
  SMTP_URL: 'smtps://loja:a1b2c3@mail.loja.example',
  METRICS_TOKEN: 'a1b2c3'.repeat(8),
  TEMPORAL_API_KEY: 'a1b2c3',
  OIDC_CLIENT_SECRET: 'a1b2c3',
  DATABASE_READ_URL: 'postgres://api:a1b2c3@replica/fatura',
};

const configOf = ({ env }: Container) =>
  parseConfig(Object.fromEntries(env.map(({ name, value, valueFrom }) => [name, valueFrom ? REVEALED[name] : value])));

const databaseOf = ({ env }: Container) => env.find(({ name }) => name === 'DATABASE_URL')?.valueFrom?.secretKeyRef;

/** The schemas of both versions as kubeconform reads them: without ids that lead elsewhere than to the files. */
function schemasOf(kinds: readonly string[]): string {
  const program = installPython('kubernetes-validate==1.37.0', 'kubernetes-validate');
  const from = join(program, '../../kubernetes_validate/kubernetes-json-schema');
  const to = join(folder, 'schemas');
  for (const version of KUBERNETES) {
    mkdirSync(join(to, `v${version}`), { recursive: true });
    for (const name of ['_definitions', ...kinds]) {
      const { $id, ...schema } = JSON.parse(
        readFileSync(join(from, `v${version}-local-strict`, `${name}.json`), 'utf8'),
      );
      const text = JSON.stringify(schema).replaceAll('/api/_definitions.json', '_definitions.json');
      writeFileSync(join(to, `v${version}`, `${name}.json`), text);
    }
  }
  return join(to, '{{.NormalizedKubernetesVersion}}', '{{.ResourceKind}}{{.KindSuffix}}.json');
}

const KINDS = [
  'deployment-apps-v1',
  'horizontalpodautoscaler-autoscaling-v2',
  'ingress-networking-v1',
  'job-batch-v1',
  'poddisruptionbudget-policy-v1',
  'service-v1',
];

function kubeconform(manifests: string, version: string): { summary: object; isValid: boolean } {
  const program = installGo('github.com/yannh/kubeconform/cmd/kubeconform', 'v0.7.0');
  const options = ['-strict', '-summary', '-output', 'json', '-kubernetes-version', version];
  try {
    const told = execFileSync(program, [...options, '-schema-location', schemasOf(KINDS)], {
      encoding: 'utf8',
      input: manifests,
      stdio: 'pipe',
    });
    return { summary: JSON.parse(told).summary, isValid: true };
  } catch (error) {
    if (!(error instanceof Error && 'stdout' in error)) throw error;
    return { summary: JSON.parse(String(error.stdout)).summary, isValid: false };
  }
}

/** What helm says of values that it refuses. */
function refusalOf(values: object): string {
  try {
    render(values);
  } catch (error) {
    if (error instanceof Error && 'stderr' in error) return String(error.stderr);
    throw error;
  }
  return '';
}

beforeAll(() => {
  installGo('helm.sh/helm/v3/cmd/helm', 'v3.22.0');
  installGo('github.com/yannh/kubeconform/cmd/kubeconform', 'v0.7.0');
}, BUILT_MS);

describe('the chart', { timeout: HELM_MS }, () => {
  test.each(Object.entries({ LEAST, MOST, WITHOUT_ADMIN }))(
    'is what Helm and Kubernetes take, with the values "%s"',
    (_, values) => {
      expect(helm('lint', '--strict', CHART, '--values', valuesFile(values))).toContain('0 chart(s) failed');
      const manifests = render(values);
      const valid = { valid: manifestsOf(values).length, invalid: 0, errors: 0, skipped: 0 };
      for (const version of KUBERNETES)
        expect(kubeconform(manifests, version)).toEqual({ summary: valid, isValid: true });
    },
  );

  test('would not be taken with a field that Kubernetes does not know', () => {
    const broken = render(LEAST).replace('failureThreshold', 'failureTreshold');
    expect(kubeconform(broken, KUBERNETES[1])).toMatchObject({ summary: { invalid: 1 }, isValid: false });
  });

  test('makes these, and no Secret', () => {
    const made = (values: object) =>
      manifestsOf(values)
        .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
        .sort();
    expect(made(LEAST)).toEqual([
      'Deployment fatura-admin',
      'Deployment fatura-api',
      'Deployment fatura-worker',
      'Job fatura-migrate',
      'PodDisruptionBudget fatura-api',
      'PodDisruptionBudget fatura-worker',
      'Service fatura-api',
    ]);
    expect(made(MOST)).toEqual([
      'Deployment fatura-admin-live',
      'Deployment fatura-admin-sandbox',
      'Deployment fatura-api-live',
      'Deployment fatura-api-sandbox',
      'Deployment fatura-worker-live',
      'Deployment fatura-worker-sandbox',
      'HorizontalPodAutoscaler fatura-api-live',
      'HorizontalPodAutoscaler fatura-api-sandbox',
      'HorizontalPodAutoscaler fatura-worker-live',
      'HorizontalPodAutoscaler fatura-worker-sandbox',
      'Ingress fatura-api-live',
      'Ingress fatura-api-sandbox',
      'Job fatura-migrate',
      'PodDisruptionBudget fatura-api-live',
      'PodDisruptionBudget fatura-api-sandbox',
      'PodDisruptionBudget fatura-worker-live',
      'PodDisruptionBudget fatura-worker-sandbox',
      'Service fatura-api-live',
      'Service fatura-api-sandbox',
    ]);
    expect(made(WITHOUT_ADMIN)).not.toContain('Deployment fatura-admin');
  });

  test('refuses values that it does not know, and says which are missing', () => {
    expect(refusalOf({ ...LEAST, settings: { TEMPORAL_ADRESS: 'temporal:7233' } })).toContain('TEMPORAL_ADRESS');
    expect(refusalOf({ ...LEAST, settings: { ...LEAST.settings, TRUST_PROXY: 1 } })).toContain('/settings/TRUST_PROXY');
    expect(refusalOf({ ...LEAST, settings: { ...LEAST.settings, SMTP_URL: 'smtp://mail' } })).toContain('SMTP_URL');
    expect(refusalOf({ ...LEAST, hosts: {} })).toContain('hosts.both is required with modes together');
    expect(refusalOf({ ...LEAST, modes: 'apart' })).toContain('hosts.live is required with modes apart');
    expect(refusalOf({ hosts: LEAST.hosts })).toContain('settings.TEMPORAL_ADDRESS is required');
  });
});

describe('its processes', { timeout: HELM_MS }, () => {
  test('start with settings that they know, each with a login of its own', () => {
    const started = (values: object) =>
      Object.fromEntries(
        [...podsOf(values)].map(
          ([
            name,
            {
              containers: [container],
            },
          ]) => {
            const { modes, publicUrl } = configOf(container);
            return [
              name,
              { command: container.command.join(' '), modes, publicUrl, database: databaseOf(container)?.key },
            ];
          },
        ),
      );
    const both = { modes: ['live', 'sandbox'], publicUrl: 'https://cobranca.loja.example' };
    expect(started(LEAST)).toEqual({
      'fatura-admin': { ...both, command: 'sleep infinity', database: 'database-admin' },
      'fatura-api': { ...both, command: 'node server/main.ts', database: 'database-api' },
      'fatura-worker': { ...both, command: 'node workflows/main.ts', database: 'database-worker' },
      'fatura-migrate': {
        modes: ['live', 'sandbox'],
        publicUrl: 'http://127.0.0.1:3000',
        command: 'node server/migrate.ts',
        database: 'database-migrate',
      },
    });
    const live = { modes: ['live'], publicUrl: 'https://api.loja.example' };
    const sandbox = { modes: ['sandbox'], publicUrl: 'https://sandbox.api.loja.example' };
    expect(started(MOST)).toMatchObject({
      'fatura-api-live': { ...live, database: 'api' },
      'fatura-api-sandbox': { ...sandbox, database: 'database-api-sandbox' },
      'fatura-worker-live': { ...live, database: 'database-worker-live' },
      'fatura-worker-sandbox': { ...sandbox, database: 'database-worker-sandbox' },
      'fatura-admin-live': { ...live, database: 'database-admin' },
      'fatura-admin-sandbox': { ...sandbox, database: 'database-admin' },
    });
  });

  test('have all settings, and variables, files and the account that are given beside', () => {
    const { properties } = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'));
    const textOf = (name: string) => [name, name === 'DRAIN_SECONDS' ? '20' : `text of ${name}`] as const;
    const settings = Object.fromEntries(Object.keys(properties.settings.properties).map(textOf));
    const secrets = Object.fromEntries(Object.keys(properties.secrets.properties).map((one) => [one, ofSecret(one)]));
    const pods = [...podsOf({ ...MOST, settings, secrets })];
    expect(pods).toHaveLength(7);
    for (const [name, { containers, serviceAccountName, volumes }] of pods) {
      const [{ env, envFrom, volumeMounts }] = containers;
      const told = env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
      expect(Object.fromEntries(told)).toMatchObject({
        ...settings,
        NODE_EXTRA_CA_CERTS: '/authorities/ca.pem',
        ...(name === 'fatura-api-live' ? { LOG_LEVEL: 'debug' } : {}),
      });
      const secret = env.filter(({ valueFrom }) => valueFrom !== undefined).map((one) => one.name);
      const expected = [...Object.keys(secrets), 'DATABASE_URL'];
      if (name === 'fatura-api-live') expected.push('DATABASE_READ_URL');
      expect([name, secret.toSorted()]).toEqual([name, expected.sort()]);
      const { envFrom: from, volumeMounts: mounts, serviceAccount: account, volumes: files } = MOST;
      expect({ envFrom, volumeMounts, serviceAccountName, volumes }).toEqual({
        envFrom: from,
        volumeMounts: mounts,
        serviceAccountName: account,
        volumes: files,
      });
    }
  });

  test('are the programs of the image and of Compose', () => {
    const commands = [...podsOf(LEAST).values()].map(({ containers: [{ command }] }) => command);
    for (const [program, file] of commands.filter(([program]) => program === 'node')) {
      expect([program, existsSync(join(REPOSITORY, file ?? ''))]).toEqual(['node', true]);
    }
    const { services } = parse(readFileSync(join(REPOSITORY, 'deploy/compose.yaml'), 'utf8'), { merge: true });
    expect(commands).toContainEqual(services.worker.command);
    expect(commands).toContainEqual(services.migrate.command);
    const dockerfile = readFileSync(join(REPOSITORY, 'deploy/Dockerfile'), 'utf8');
    expect(commands).toContainEqual(JSON.parse(/^CMD (.+)$/m.exec(dockerfile)?.[1] ?? ''));
    // The image listens where the probes of a node reach it.
    expect(dockerfile).toMatch(/^ENV .*\bHOST=0\.0\.0\.0$/m);
  });

  test('own nothing, write nothing and are no root', () => {
    for (const values of [LEAST, MOST]) {
      for (const [name, pod] of podsOf(values)) {
        const { runAsNonRoot, runAsUser, seccompProfile } = pod.securityContext as Record<string, unknown>;
        const { resources, securityContext } = pod.containers[0];
        expect({ name, runAsNonRoot, runAsUser, seccompProfile, securityContext }).toEqual({
          name,
          runAsNonRoot: true,
          runAsUser: 1000,
          seccompProfile: { type: 'RuntimeDefault' },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        });
        expect(Object.keys(resources.requests ?? {}).sort()).toEqual(['cpu', 'memory']);
        // FATURA_PORT and the like would be settings that nobody knows.
        expect(pod).toMatchObject({ enableServiceLinks: false, automountServiceAccountToken: false });
      }
    }
  });

  test('are asked by the routes of the service, at its port', async () => {
    const { containers } = podsOf(LEAST).get('fatura-api') ?? { containers: [] };
    const [{ ports, ...api } = {} as Container] = containers;
    expect(ports).toEqual([{ name: 'http', containerPort: parseConfig({}).port }]);
    const probes = [api.startupProbe, api.readinessProbe, api.livenessProbe].map((probe) => probe?.httpGet);
    expect(probes).toEqual([
      { path: '/healthz', port: 'http' },
      { path: '/readyz', port: 'http' },
      { path: '/healthz', port: 'http' },
    ]);
    const running = await startApi();
    for (const probe of probes) expect((await fetch(`${running.baseUrl}${probe?.path}`)).status).toBe(200);
    await running.stop();
  });

  test('have 35 seconds more than they take connections for', () => {
    const graceOf = (values: object, name: string) => podsOf(values).get(name)?.terminationGracePeriodSeconds;
    expect(graceOf(LEAST, 'fatura-api')).toBe(parseConfig({}).drainSeconds + 35);
    expect(graceOf(LEAST, 'fatura-worker')).toBe(40);
    expect(graceOf(MOST, 'fatura-api-live')).toBe(20 + 35);
  });

  test('are found by what watches, scales and asks them, and by nothing else', () => {
    const manifests = manifestsOf(MOST);
    const labels = manifests.flatMap(({ spec }) =>
      spec.template === undefined ? [] : [spec.template.metadata.labels],
    );
    const isIn = (selector: object, of: object) =>
      Object.entries(selector).every(([name, value]) => of[name as never] === value);
    for (const { kind, spec, metadata } of manifests) {
      const selector = spec.selector?.matchLabels ?? (kind === 'Service' ? spec.selector : undefined);
      if (selector !== undefined)
        expect([metadata.name, labels.filter((of) => isIn(selector, of))]).toMatchObject([metadata.name, [{}]]);
      if (kind !== 'HorizontalPodAutoscaler') continue;
      const scaled = manifests.find(
        (one) => one.kind === 'Deployment' && one.metadata.name === spec.scaleTargetRef?.name,
      );
      expect(scaled?.spec.replicas).toBeUndefined();
    }
    const [live] = manifests.filter(({ kind }) => kind === 'Ingress');
    expect(live?.spec.tls).toEqual([{ hosts: ['api.loja.example'], secretName: 'live-tls' }]);
    expect(live?.spec.rules?.map(({ host }) => host)).toEqual(['api.loja.example']);
  });

  test('begin when the database is migrated, on each installation and upgrade', () => {
    const job = manifestsOf(LEAST).find(({ kind }) => kind === 'Job');
    expect(job?.metadata.annotations).toEqual({
      'helm.sh/hook': 'pre-install,pre-upgrade',
      'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
    });
  });
});
