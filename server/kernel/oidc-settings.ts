/** The identity provider of the settings. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Nobody signs in by a password or a passkey. */
  readonly isOnly: boolean;
}
