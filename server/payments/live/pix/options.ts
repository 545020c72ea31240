import { profileNames } from '../../acquirer/api-pix/profiles.ts';
import { type ApiPixSettings, accountTypes } from '../../acquirer/api-pix/settings.ts';
import type { SettingOption } from '../method.ts';
import { rateOption } from '../rate-option.ts';

/** What an operator gives to reach a PSP (docs/product/live-pix.md#certificate-and-key). */
export const options: readonly (SettingOption & { readonly name: keyof ApiPixSettings })[] = [
  { name: 'profile', flags: '--profile <name>', description: 'the PSP', choices: profileNames, isRequired: true },
  { name: 'clientId', flags: '--client-id <id>', description: 'OAuth2 client id', isRequired: true },
  {
    name: 'clientSecret',
    flags: '--client-secret-file <path>',
    description: 'file with the OAuth2 client secret, - for standard input',
    isFile: true,
  },
  {
    name: 'certificate',
    flags: '--certificate <path>',
    description: 'file with the client certificate, PEM, - for standard input',
    isRequired: true,
    isFile: true,
  },
  {
    name: 'key',
    flags: '--key <path>',
    description: 'file with its private key, PEM without a passphrase, - for standard input',
    isRequired: true,
    isFile: true,
  },
  { name: 'pixKey', flags: '--pix-key <key>', description: 'the Pix key (chave) that is paid to', isRequired: true },
  {
    name: 'baseUrl',
    flags: '--base-url <url>',
    description: 'where the API is, with its version, if not where the profile has it',
    isOperators: true,
  },
  {
    name: 'tokenUrl',
    flags: '--token-url <url>',
    description: 'where tokens are, if not where the profile has it',
    isOperators: true,
  },
  {
    name: 'ca',
    flags: '--ca <path>',
    description: 'file with the authority of the PSP’s own certificate, PEM, if no public one',
    isFile: true,
    isOperators: true,
  },
  {
    name: 'callbackCa',
    flags: '--callback-ca <path>',
    description: 'file with the authority of the certificate that callbacks must show, PEM',
    isFile: true,
    isOperators: true,
  },
  {
    name: 'receiverAccount',
    flags: '--receiver-account <number>',
    description:
      'the bank account that debits by Pix Automático are paid into, with its check digit; without it there are none',
    staysUnlessGiven: true,
  },
  {
    name: 'receiverType',
    flags: '--receiver-type <type>',
    description: 'the type of that account',
    choices: accountTypes,
    staysUnlessGiven: true,
  },
  {
    name: 'receiverBranch',
    flags: '--receiver-branch <number>',
    description: 'the branch of that account, without its check digit',
    staysUnlessGiven: true,
  },
  {
    name: 'extras',
    flags: '--extra <name=value>',
    description: 'a setting that the profile needs; may be repeated',
    isMap: true,
  },
  rateOption,
];
