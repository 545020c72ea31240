// Builds the pages for buyers, the docs, the dashboard and the workflows: the bundles for browsers, with names that change with their content, and the
// one by which the server renders the pages for buyers, and the one that workers run workflows of. It runs on the Node of package.json, which `dev/setup.mjs` starts it with.
import { globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import { bundleWorkflowCode } from '@temporalio/worker';
import { type BuildEnvironmentOptions, build, type InlineConfig, type Manifest, type Plugin } from 'vite';
import { INDEX } from '../server/site/served.ts';
import { writeDocs } from '../site/write.ts';
import { BUNDLE } from '../workflows/bundle.ts';
import { FAILURE_CONVERTER } from '../workflows/temporal.ts';
import { TRACE_INTERCEPTORS } from '../workflows/traces.ts';
import { ALWAYS_READ, builtFolder, digestOf } from './built.mjs';

// The same sources make the same build, whoever asks for it: tests run under a mode of their own.
process.env.NODE_ENV = 'production';

const root = resolve(import.meta.dirname, '..');
const sources = join(root, 'web/page');
const dashboard = join(root, 'dashboard');

const RECEIPT_STYLE = 'style/receipt.css';
const PORTAL = 'portal.ts';
/** As the bundler names it, from the sources of the pages for buyers. */
const DOCS = '../../site/browser/main.ts';
const DASHBOARD = 'main.tsx';
const MANIFEST = 'manifest.json';

/** Browsers of the last three years; what is younger in the style is written in older words. */
const BROWSERS = ['chrome109', 'firefox115', 'safari15.4'];

/** Notes which files of the repository a bundle is made of. */
function notingSources(read: Set<string>): Plugin {
  return {
    name: 'note-sources',
    generateBundle() {
      for (const id of this.getModuleIds()) {
        const [file = ''] = id.split('?');
        if (!isAbsolute(file)) continue; // made by the bundler, or of Node itself
        const path = relative(root, file).replaceAll('\\', '/');
        if (!path.startsWith('..') && !path.includes('node_modules/')) read.add(path);
      }
    },
  };
}

const settingsOf = (read: Set<string>, importSource: 'preact' | 'react'): InlineConfig => ({
  configFile: false,
  mode: 'production',
  envDir: false,
  base: './',
  publicDir: false,
  logLevel: 'warn',
  plugins: [notingSources(read)],
  oxc: { jsx: { runtime: 'automatic', importSource, development: false } },
});

/** For browsers, into a folder of their own with a manifest. */
const forBrowsers = (outDir: string): BuildEnvironmentOptions => ({
  outDir,
  assetsDir: '.',
  manifest: MANIFEST,
  target: BROWSERS,
  cssTarget: BROWSERS,
  emptyOutDir: true,
  reportCompressedSize: false,
});

const bundle = (read: Set<string>, options: BuildEnvironmentOptions) =>
  build({
    ...settingsOf(read, 'preact'),
    root: sources,
    ssr: { noExternal: true },
    build: { emptyOutDir: true, reportCompressedSize: false, ...options },
  });

/** The texts of the widgets in the two languages of the dashboard; in all others they would be a fifth of it. */
const widgetTexts = () => optimizeLocales.vite({ locales: ['pt-BR', 'en-US'] });

function bundleDashboard(read: Set<string>, folder: string) {
  const { plugins = [], ...settings } = settingsOf(read, 'react');
  return build({
    ...settings,
    plugins: [...plugins, widgetTexts()],
    root: dashboard,
    build: {
      ...forBrowsers(join(folder, 'dashboard')),
      cssCodeSplit: false,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: join(dashboard, DASHBOARD),
        // Its packages mark what runs in browsers; all of it does.
        onLog: (level, log, tell) => log.code === 'MODULE_LEVEL_DIRECTIVE' || tell(level, log),
      },
    },
  });
}

/** All bundles in one folder; answers the files of the repository that they are made of. */
async function bundleAll(folder: string): Promise<Set<string>> {
  const read = new Set<string>(ALWAYS_READ);
  await bundle(read, {
    ...forBrowsers(join(folder, 'client')),
    modulePreload: false,
    rolldownOptions: {
      // Its lists of domains are left out: the page has its own.
      treeshake: { moduleSideEffects: (id) => !id.includes('/email-misspelled/') },
      input: {
        checkout: join(sources, 'client.tsx'),
        receipt: join(sources, RECEIPT_STYLE),
        portal: join(sources, PORTAL),
        docs: join(sources, DOCS),
      },
    },
  });
  await bundle(read, {
    outDir: join(folder, 'server'),
    ssr: join(sources, 'server.tsx'),
    rolldownOptions: { output: { entryFileNames: 'render.mjs' } },
  });
  await bundleDashboard(read, folder);
  return read;
}

/** As the bundler names a file of the repository. */
const OF_REPOSITORY = /^ {2}!\*\*\* \.\/((?!node_modules\/)\S+\.ts) \*\*\*!$/gm;

const NOT_ASCII = /[^\0-\x7f]/g;
const SOURCE_MAP = '//# sourceMappingURL=data:application/json;charset=utf-8;base64,';

/** As workers keep it several times in memory: in letters of one byte, and without the texts of its sources, of which stacks tell the places alone. */
function slimBundle(bundled: string): string {
  const end = bundled.lastIndexOf(SOURCE_MAP);
  if (end === -1) throw new Error('the bundle of the workflows lacks its source map');
  const { sourcesContent, ...map } = JSON.parse(
    Buffer.from(bundled.slice(end + SOURCE_MAP.length), 'base64').toString(),
  );
  const code = bundled
    .slice(0, end)
    .replace(NOT_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `${code}${SOURCE_MAP}${Buffer.from(JSON.stringify(map)).toString('base64')}`;
}

/** The workflows in one file; answers the files of the repository that it is made of. */
async function bundleWorkflows(folder: string): Promise<string[]> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, 'workflows/workflows.ts'),
    failureConverterPath: FAILURE_CONVERTER,
    workflowInterceptorModules: [TRACE_INTERCEPTORS],
    logger: silent,
  });
  writeFileSync(join(folder, BUNDLE), slimBundle(code));
  return [...code.matchAll(OF_REPOSITORY)].map(([, path = '']) => path);
}

const ignore = (): void => {};
const silent = { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Compressed once at the strongest setting, instead of for each buyer. */
function compress(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!/\.(js|css)$/.test(name)) continue;
    const content = readFileSync(join(folder, name));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content, { params }));
  }
}

const entryOf = (manifest: Manifest, name: string): { script: string; style: string } => {
  const { file: script, css: [style] = [] } = manifest[name] ?? {};
  if (script === undefined || style === undefined)
    throw new Error(`the bundle lacks the script or the style of ${name}`);
  return { script, style };
};

/** What a page loads, by what it is for. */
function entriesOf(manifest: Manifest) {
  const { file: receiptStyle } = manifest[RECEIPT_STYLE] ?? {};
  if (receiptStyle === undefined) throw new Error('the bundle lacks the style of receipts');
  return {
    ...entryOf(manifest, 'client.tsx'),
    receiptStyle,
    portal: entryOf(manifest, PORTAL),
    docs: entryOf(manifest, DOCS),
  };
}

/** What the shell of the dashboard loads at first: its script, those that the script begins with, and the one style. */
function dashboardEntry(manifest: Manifest) {
  const { file: script, imports = [] } = manifest[DASHBOARD] ?? {};
  const style = Object.values(manifest).find(({ file }) => file.endsWith('.css'))?.file;
  if (script === undefined || style === undefined)
    throw new Error('the bundle lacks the script or the style of the dashboard');
  return { script, style, preload: imports.map((name) => manifest[name]?.file ?? name) };
}

/** Nobody asks a server for it. */
function takeManifest(folder: string): Manifest {
  const path = join(folder, MANIFEST);
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  rmSync(path);
  return manifest;
}

/** The texts of the docs are made of the contract, the guides, and what writes them. */
const sourcesOfDocs = (): string[] =>
  globSync(
    [
      'contract/**/*.{ts,json}',
      'site/*.ts',
      'site/translations/*',
      'server/site/served.ts',
      'docs/guides/**/*',
      'CHANGELOG.md',
    ],
    {
      cwd: root,
    },
  )
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.\w+$/.test(path));

function buildDocs(folder: string, assets: { script: string; style: string }): void {
  mkdirSync(folder);
  const index = writeDocs(assets).map(({ path, type, text }, at) => {
    const file = `${at}.txt`;
    writeFileSync(join(folder, file), text);
    return { path, type, file };
  });
  writeFileSync(join(folder, INDEX), JSON.stringify(index));
}

const target = builtFolder(root);
const draft = `${target}-draft-${process.pid}`;
mkdirSync(draft, { recursive: true });
try {
  const read = await bundleAll(draft);
  const { docs, ...assets } = entriesOf(takeManifest(join(draft, 'client')));
  const ofDashboard = dashboardEntry(takeManifest(join(draft, 'dashboard')));
  compress(join(draft, 'client'));
  compress(join(draft, 'dashboard'));
  buildDocs(join(draft, 'docs'), docs);
  const files = [...new Set([...read, ...sourcesOfDocs(), ...(await bundleWorkflows(draft))])].sort();
  const built = { ...assets, dashboard: ofDashboard, sources: files, digest: digestOf(root, files) };
  writeFileSync(join(draft, 'built.json'), `${JSON.stringify(built, null, 2)}\n`);
  rmSync(target, { recursive: true, force: true });
  renameSync(draft, target);
} finally {
  rmSync(draft, { recursive: true, force: true });
}
