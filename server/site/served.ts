/** Languages of the docs. */
export const languages = ['pt', 'en'] as const;
export type Language = (typeof languages)[number];

/** A text of the docs as a build writes it. */
export interface WrittenText {
  readonly path: string;
  /** As Express names content types. */
  readonly type: string;
  readonly text: string;
}

/** A text of the docs in the folder of the build. */
export interface WrittenFile extends Omit<WrittenText, 'text'> {
  readonly file: string;
}

/** The file that lists them. */
export const INDEX = 'index.json';

/** Where the script and the style are served. */
export const DOCS_ASSETS = '/docs/assets';

/** Stands in written texts for the address of the service that serves them. */
export const SERVICE = 'https://service.invalid';
