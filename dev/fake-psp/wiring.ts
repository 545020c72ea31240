import type { WiringFiles } from './kept.ts';
import type { FakePsp, MerchantCredentials } from './psp.ts';

/** The command that makes a merchant's account move its live PIX through a PSP. */
export function wiringCommand(
  psp: Pick<FakePsp, 'profile' | 'baseUrl' | 'tokenUrl'>,
  merchant: MerchantCredentials,
  files: WiringFiles,
): string {
  const extras = psp.profile.credentials.flatMap(({ name, value }) =>
    value === 'clientId' ? [] : [`--extra ${value.setting}=${merchant.extras[name] ?? ''}`],
  );
  const options = [
    `--live pix --profile ${psp.profile.name}`,
    `--client-id ${merchant.clientId} --client-secret-file ${files.clientSecret}`,
    `--certificate ${files.certificate} --key ${files.key}`,
    `--pix-key ${merchant.pixKey}`,
    `--base-url ${psp.baseUrl} --token-url ${psp.tokenUrl}`,
    `--ca ${files.ca}`,
    ...extras,
  ];
  return `npm run --silent admin -- acquirer set acct_… \\\n  ${options.join(' \\\n  ')}`;
}
