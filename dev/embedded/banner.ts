import type { Config } from '../../server/config.ts';
import { namesLoopback } from '../../server/kernel/loopback.ts';
import type { DemoAccount } from './demo-account.ts';
import { casesUrl } from './temporal.ts';

type Banner = { config: Config; demo: DemoAccount | null; seconds: number };

/** What `npm start` prints once it is ready. */
export function banner({ config, demo, seconds }: Banner): string[] {
  const { publicUrl } = config;
  const networks = config.webhookAllowedNetworks.join(', ');
  return [
    '',
    `Fatura is ready (${seconds.toFixed(1)} s).`,
    `  API          ${publicUrl}/api/v1`,
    `  Docs         ${publicUrl}/docs`,
    `  Dashboard    ${demo?.setUpLink ? `${demo.setUpLink} (good once, for 24 hours)` : `${publicUrl}/dashboard`}`,
    ...(namesLoopback(publicUrl) || config.metricsToken !== null ? [`  Metrics      ${publicUrl}/metrics`] : []),
    ...(config.temporal.address === null ? temporalLines(config) : []),
    ...(config.smtpUrl === null
      ? ['  E-mails      are kept: npm run --silent admin -- mail list (SMTP_URL sends them)']
      : []),
    '  Live mode    moves no money until an account has a PSP for PIX (docs/product/live-pix.md)',
    ...(networks ? [`  Webhooks     sandbox deliveries may also go to ${networks} (WEBHOOK_ALLOWED_NETWORKS)`] : []),
    ...(demo ? demoLines({ demo, publicUrl }) : []),
    '',
  ];
}

function temporalLines({ temporal: { namespace }, temporalUiPort: port }: Config): string[] {
  return [
    `  Temporal UI  http://127.0.0.1:${port}`,
    `  Cases there  ${casesUrl({ port, namespace })} (without the scheduled runs)`,
  ];
}

function demoLines({ demo: { sandboxKey }, publicUrl }: { demo: DemoAccount; publicUrl: string }): string[] {
  const elsewhere = publicUrl === 'http://127.0.0.1:3000' ? '' : ` ${publicUrl}`;
  const key =
    sandboxKey === null
      ? 'is shown once, by the first start; for another: npm run --silent admin -- key roll'
      : `${sandboxKey} (shown only now)`;
  return [
    `  Demo key     ${key}`,
    `  Try          npx node sdk/examples/pix-sale.ts ${sandboxKey ?? '<sandbox_key>'}${elsewhere}`,
  ];
}
