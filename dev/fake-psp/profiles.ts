import type { PspProfile } from './profile.ts';

const SUFFIXES = { pix: '/pix', rec: '/rec', cobr: '/cobr' } as const;

/** As the document of the central bank has it. */
const standard = {
  name: 'standard',
  ispb: '12345678',
  basePath: '/api/v2',
  versions: null,
  token: {
    path: '/oauth/token',
    style: 'basic-form',
    expiresIn: 3600,
    expiresAsText: false,
    downscopes: false,
    scopeRequired: false,
    callsMax: null,
  },
  foreignCertificate: 'handshake',
  credentials: [],
  lackingScope: 403,
  success: { putCob: 201, repeatCob: 201, patchCob: 200, putReturn: 201, putWebhook: 200 },
  showsRegistration: false,
  repeatOfCob: 'revise',
  repeatOfReturn: 'same',
  copyPaste: { field: 'pixCopiaECola', onGet: true },
  dates: 'milliseconds',
  takesMilliseconds: true,
  writesNulls: false,
  errors: 'problem',
  refusesAddress: false,
  extraFields: { cob: {}, pix: {} },
  listsCobs: true,
  makesTxid: true,
  recId: 'bank',
  callback: { body: 'object', suffixes: SUFFIXES, probes: false },
} as const satisfies PspProfile;

const efi: PspProfile = {
  ...standard,
  name: 'efi',
  ispb: '09089356',
  basePath: '/v2',
  token: { ...standard.token, style: 'basic-json', downscopes: true },
  success: { ...standard.success, putWebhook: 201 },
  showsRegistration: true,
  repeatOfCob: 'conflict',
  repeatOfReturn: 'bad-request',
  errors: 'efi',
  extraFields: { cob: {}, pix: { gnExtras: { tarifa: '0.48' } } },
  callback: { body: 'object', suffixes: SUFFIXES, probes: true },
};

const sicoob: PspProfile = {
  ...standard,
  name: 'sicoob',
  ispb: '02038232',
  basePath: '/pix/api/v2',
  token: {
    ...standard.token,
    path: '/auth/realms/cooperado/protocol/openid-connect/token',
    style: 'form-id',
    expiresIn: 300,
    scopeRequired: true,
  },
  foreignCertificate: 401,
  credentials: [{ in: 'header', name: 'client_id', value: 'clientId' }],
  success: { ...standard.success, putReturn: 200 },
  copyPaste: { field: 'brcode', onGet: true },
  writesNulls: true,
  recId: 'merchant',
  errors: 'problem-text-status',
  refusesAddress: true,
};

const bb: PspProfile = {
  ...standard,
  name: 'bb',
  ispb: '00000000',
  basePath: '/pix/v2',
  token: { ...standard.token, expiresIn: 600, expiresAsText: true, scopeRequired: true },
  foreignCertificate: 403,
  credentials: [{ in: 'query', name: 'gw-dev-app-key', value: { setting: 'app_key' } }],
  success: { ...standard.success, putCob: 200, repeatCob: 200, patchCob: 201 },
  copyPaste: { field: 'textoImagemQRcode', onGet: false },
  dates: 'offset',
  errors: 'bb',
  listsCobs: false,
  makesTxid: false,
  recId: 'merchant',
};

const AUTOMATIC_V1 = { locrec: 'v1', rec: 'v1', cobr: 'v1', webhookrec: 'v1', webhookcobr: 'v1' };

const sicredi: PspProfile = {
  ...standard,
  name: 'sicredi',
  ispb: '01181521',
  basePath: '/api',
  versions: {
    item: { cob: 'v3', pix: 'v2', webhook: 'v2', ...AUTOMATIC_V1 },
    list: { cob: 'v2', pix: 'v2', ...AUTOMATIC_V1 },
  },
  recId: 'merchant',
  token: { ...standard.token, downscopes: true, callsMax: 60 },
  lackingScope: 400,
  success: { ...standard.success, putReturn: 200 },
  repeatOfCob: 'bad-request',
  repeatOfReturn: 'bad-request',
  dates: 'seconds',
  takesMilliseconds: false,
};

const inter: PspProfile = {
  ...standard,
  name: 'inter',
  ispb: '00416968',
  basePath: '/pix/v2',
  token: { ...standard.token, path: '/oauth/v2/token', style: 'form-secret', scopeRequired: true },
  credentials: [{ in: 'header', name: 'x-conta-corrente', value: { setting: 'account' } }],
  success: { ...standard.success, repeatCob: 200 },
  extraFields: { cob: { versao: 1 }, pix: {} },
  callback: { body: 'array', suffixes: { pix: '', rec: '', cobr: '' }, probes: false },
};

export const profiles = { standard, efi, sicoob, bb, sicredi, inter } as const satisfies Record<string, PspProfile>;

export type ProfileName = keyof typeof profiles;

export const profileNames = Object.keys(profiles) as ProfileName[]; // Object.keys forgets the keys' type
