import { execFile } from 'node:child_process';
import { chmod, copyFile, cp, glob, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build as bundle, type Plugin, transform } from 'esbuild';
import { licenseTexts } from './licenses.ts';

const SDK = fileURLToPath(new URL('..', import.meta.url));
const ENTRIES = ['index', 'webhooks', 'inbox', 'card'] as const;
const FORMATS = [
  { format: 'esm', extension: 'js' },
  { format: 'cjs', extension: 'cjs' },
] as const;

/**
 * Makes the package to publish in `outDir`. In the repository `exports` lead to the sources, which Node runs as they
 * are; what npm gets are those of `publishConfig`.
 */
export async function buildPackage(outDir: string): Promise<void> {
  await rm(outDir, { recursive: true, force: true });
  // The maps name the sources, so the package brings them; built from that copy, the names lead into the package.
  await cp(join(SDK, 'src'), join(outDir, 'src'), { recursive: true });
  await Promise.all([
    ...FORMATS.map((format) => bundleCode(outDir, format)),
    bundleProgram(outDir),
    declareTypes(outDir),
  ]);
  await writeFile(join(outDir, 'package.json'), await publishedManifest());
  await copyStarters(outDir);
  await copyFile(join(SDK, 'README.md'), join(outDir, 'README.md'));
  await copyFile(join(SDK, '../LICENSE'), join(outDir, 'LICENSE'));
}

const TARGET = 'es2022';

/** The declarations and the sources hold the comments; in the code they would be a third of its size. */
const withoutComments: Plugin = {
  name: 'without-comments',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const { code } = await transform(source, {
        loader: 'ts',
        target: TARGET,
        minifyWhitespace: true, // takes out the comments; the bundle is laid out again
        sourcemap: 'inline',
        sourcefile: basename(path),
      });
      return { contents: code, loader: 'js' };
    });
  },
};

/** How each bundle is made. */
const bundling = (outDir: string) =>
  ({
    absWorkingDir: outDir,
    outdir: outDir,
    bundle: true,
    target: TARGET,
    // Not minified: Node prints the line of an uncaught error, and a merchant's bundler minifies anyway.
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
  }) as const;

/** Leaves imports of the files that a pattern fits to the entry of the same name. */
const sharing = (filter: RegExp, extension: string): Plugin => ({
  name: 'share-entries',
  setup: ({ onResolve }) => {
    onResolve({ filter }, ({ kind, path }) =>
      kind === 'entry-point' ? undefined : { path: `./${basename(path, '.ts')}.${extension}`, external: true },
    );
  },
});

async function bundleCode(outDir: string, { format, extension }: (typeof FORMATS)[number]): Promise<void> {
  await bundle({
    ...bundling(outDir),
    entryPoints: ENTRIES.map((entry) => join(outDir, 'src', `${entry}.ts`)),
    outExtension: { '.js': `.${extension}` },
    format,
    platform: 'neutral',
    // The entries share one copy of the webhooks, so that there is one WebhookVerificationError to catch.
    plugins: [withoutComments, sharing(/\/webhooks\.ts$/, extension)],
  });
}

/** The client, from the program's folders. */
const CLIENT = /^(?:\.\.\/){1,2}(?:index|webhooks)\.ts$/;

/** Leaves what one command alone needs to a file of its own. */
const lateMcp: Plugin = {
  name: 'late-mcp',
  setup: ({ onResolve }) => {
    onResolve({ filter: /\/mcp\/serve\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './mcp.js', external: true } : undefined,
    );
  },
};

/** The program `fatura`, over the client beside it, and its MCP server with the protocol's library. */
async function bundleProgram(outDir: string): Promise<void> {
  const program = { ...bundling(outDir), format: 'esm', platform: 'node' } as const;
  await bundle({
    ...program,
    entryPoints: [{ in: join(outDir, 'src/cli/main.ts'), out: 'cli' }],
    plugins: [withoutComments, sharing(CLIENT, 'js'), lateMcp],
  });
  const { metafile } = await bundle({
    ...program,
    entryPoints: [{ in: join(outDir, 'src/cli/mcp/serve.ts'), out: 'mcp' }],
    plugins: [withoutComments, sharing(CLIENT, 'js')],
    nodePaths: [join(SDK, '../node_modules')],
    absWorkingDir: join(SDK, '..'),
    // A map would name the library's sources, which the package does not bring.
    sourcemap: false,
    // Nobody reads a library here; as it was written it has comments with the paths of this machine.
    minifyWhitespace: true,
    minifySyntax: true,
    metafile: true,
  });
  await writeFile(join(outDir, 'mcp.LICENSES.txt'), await licenseTexts(metafile, join(SDK, '..')));
  await chmod(join(outDir, 'cli.js'), 0o755);
}

/** What `fatura init` writes; the check of their types stays behind. */
async function copyStarters(outDir: string): Promise<void> {
  const from = join(SDK, 'starters');
  const filter = (path: string): boolean => path !== join(from, 'tsconfig.json');
  await cp(from, join(outDir, 'starters'), { recursive: true, filter });
}

/** Declarations for import and for require; each names its neighbours by the extension it is found under. */
async function declareTypes(outDir: string): Promise<void> {
  const tsc = fileURLToPath(import.meta.resolve('typescript/package.json')).replace('package.json', 'bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', join(SDK, 'tsconfig.build.json'), '--outDir', outDir]);
  for await (const file of glob('**/*.d.ts', { cwd: outDir })) {
    const path = join(outDir, file);
    const source = await readFile(path, 'utf8');
    const naming = (extension: string) => source.replace(/(from '\.[^']*)\.ts'/g, `$1.${extension}'`);
    await writeFile(path, naming('js'));
    await writeFile(path.replace(/\.d\.ts$/, '.d.cts'), naming('cjs'));
  }
}

async function publishedManifest(): Promise<string> {
  const manifest: Record<string, unknown> & { publishConfig: { access: string; provenance: boolean } } = JSON.parse(
    await readFile(join(SDK, 'package.json'), 'utf8'),
  );
  const { private: _, publishConfig, ...rest } = manifest;
  const { access, provenance, ...published } = publishConfig;
  return `${JSON.stringify({ ...rest, ...published, publishConfig: { access, provenance } }, null, 2)}\n`;
}

if (import.meta.main) {
  const outDir = resolve(process.argv[2] ?? join(SDK, 'dist'));
  await buildPackage(outDir);
  const { name, version } = JSON.parse(await readFile(join(outDir, 'package.json'), 'utf8'));
  console.log(`Built ${name} ${version} in ${outDir}. In the folder of your project:

  npm pack "${outDir}"
  npm install ./${name.slice(1).replace('/', '-')}-${version}.tgz
`);
}
