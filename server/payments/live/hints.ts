/** What an operator may do about a connection that fails, by the code of its error. */
const HINTS: readonly (readonly [code: RegExp, hint: string])[] = [
  [/ENOTFOUND|EAI_AGAIN/, 'the name is not known: is the URL right?'],
  [
    /ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|TIMEOUT|TimeoutError/,
    'nobody answers there: is the URL right, and may this machine call it?',
  ],
  [
    /SELF_SIGNED|UNABLE_TO_|DEPTH_ZERO/,
    'the PSP shows a certificate of an authority that is not known here: name it by --ca if it is the PSP’s own',
  ],
  [
    /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|ALTNAME/,
    'the certificate that the PSP shows is not its own or has ended: is the URL right?',
  ],
  [
    /ERR_SSL_\w*ALERT|ECONNRESET|UND_ERR_SOCKET|EPIPE|EPROTO/,
    'the PSP broke the connection off: it may not take the client certificate. Is it of this environment (production), and of this client id?',
  ],
];

/** What is behind the end of a call, in words for whoever wires a PSP; null: nothing is known of it. */
export const hintOf = (why: string): string | null => HINTS.find(([code]) => code.test(why))?.[1] ?? null;
