import type { PagarmeSettings } from '../../acquirer/pagarme/settings.ts';
import type { SettingOption } from '../method.ts';
import { rateOption } from '../rate-option.ts';

/** What an operator gives to reach Pagar.me (docs/product/live-cards.md#keys). */
export const cardOptions: readonly (SettingOption & { readonly name: keyof PagarmeSettings })[] = [
  {
    name: 'secretKey',
    flags: '--secret-key-file <path>',
    description: 'file with the secret key (sk_…) of Pagar.me, - for standard input',
    isRequired: true,
    isFile: true,
  },
  {
    name: 'publicKey',
    flags: '--public-key <key>',
    description: 'the public key (pk_…) of Pagar.me',
    isRequired: true,
  },
  {
    name: 'softDescriptor',
    flags: '--soft-descriptor <text>',
    description: 'what a statement of the card says, up to 13 letters, digits and spaces',
  },
  {
    name: 'takeCardNumbers',
    flags: '--take-card-numbers',
    description: 'let the API take numbers of cards: who does is asked far more by PCI DSS',
    isOperators: true,
  },
  {
    name: 'baseUrl',
    flags: '--api-url <url>',
    description: 'where the API of Pagar.me is, with its version',
    isOperators: true,
  },
  {
    name: 'jwksUrl',
    flags: '--jwks-url <url>',
    description: 'where the keys are that webhooks are signed with',
    isOperators: true,
  },
  rateOption,
];
