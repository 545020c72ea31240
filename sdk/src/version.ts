/** Version of this package, as the service sees it; a test holds it equal to package.json. */
export const VERSION = '0.1.0';
