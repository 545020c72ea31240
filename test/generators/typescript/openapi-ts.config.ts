import { defineConfig } from '@hey-api/openapi-ts';

export default defineConfig({
  input: './openapi.json',
  // Node runs the sources as they are, so imports name them.
  output: { path: './client', module: { extension: '.ts' } },
});
