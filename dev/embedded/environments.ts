import { join } from 'node:path';
import type { Config } from '../../server/config.ts';
import type { LoginUrls } from './postgres-logins.ts';

/** What the programs of `npm start` are to reach. */
export interface Services {
  readonly databaseUrls: LoginUrls;
  readonly temporalAddress: string;
  /** Null: the Temporal server is not ours, and neither is its UI. */
  readonly codecPort: number | null;
}

type Starting = { readonly env: NodeJS.ProcessEnv; readonly config: Config };

/** Of all programs of `npm start`; each logs in to the database as itself. */
export function commonEnvironment(
  { env, config }: Starting,
  services: Omit<Services, 'databaseUrls'> & { readonly encryptionKeys: string },
): NodeJS.ProcessEnv {
  return {
    ...env,
    DATA_DIR: config.dataDir,
    TEMPORAL_ADDRESS: services.temporalAddress,
    ENCRYPTION_KEY: undefined,
    ENCRYPTION_KEYS: services.encryptionKeys,
    ...(services.codecPort === null
      ? {}
      : {
          TEMPORAL_CODEC_PORT: String(services.codecPort),
          TEMPORAL_CODEC_ORIGINS: ['127.0.0.1', 'localhost']
            .map((host) => `http://${host}:${config.temporalUiPort}`)
            .join(),
        }),
    // The Temporal server is ours, and so is its UI.
    ...(services.codecPort === null ? {} : { TEMPORAL_UI_URL: `http://127.0.0.1:${config.temporalUiPort}` }),
    WEBHOOK_ALLOWED_NETWORKS: config.webhookAllowedNetworks.join(',') || 'none',
    PUBLIC_URL: config.publicUrl,
    HOST: config.host,
    PORT: String(config.port),
    // Whoever stops everything by Ctrl-C has no load balancer that must notice.
    DRAIN_SECONDS: env.DRAIN_SECONDS ?? '1',
    // Node then parses our TypeScript once, not at every start.
    NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE ?? join(config.dataDir, 'compile-cache'),
  };
}
