import { execFile, spawn } from 'node:child_process';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Fatura, type FaturaOptions } from '@fatura/sdk';
import { pathOf, type SampleLanguage, type SampleRequest, sampleOf } from '../../site/samples.ts';
import { pythonTools } from '../support/toolbox.ts';

const run = promisify(execFile);
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** What a sample was answered. */
interface Told {
  readonly status: number;
  readonly answer: unknown;
}

export interface Runner {
  /** Runs one sample as it is shown, with this key. */
  run(request: SampleRequest, apiKey: string): Promise<Told>;
  stop(): void;
}

/** Not every machine has it; readers of the docs do, or have their own. */
const UUIDGEN = 'uuidgen() { node -p "crypto.randomUUID()"; }';

const curl: Runner = {
  async run(request, apiKey) {
    const command = `${UUIDGEN}\n${sampleOf('curl', request)} -sS -w '\\n%{http_code}'`;
    const { stdout } = await run('bash', ['-c', command], {
      env: { ...process.env, FATURA_API_KEY: apiKey },
      maxBuffer: OUTPUT_BYTES_MAX,
    });
    const at = stdout.lastIndexOf('\n');
    return { status: Number(stdout.slice(at)), answer: JSON.parse(stdout.slice(0, at)) };
  },
  stop() {},
};

// A function whose body may wait has a constructor without a name of its own.
const AsyncFunction = (async () => {}).constructor as new (
  ...parts: string[]
) => (...given: unknown[]) => Promise<void>;

const typescript: Runner = {
  /** In this process, with a client that keeps what it was answered first: an advance goes on to ask where the clock is. */
  async run(request, apiKey) {
    let told: Told | null = null;
    const fetchAndKeep: typeof globalThis.fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (told === null && new URL(String(input)).pathname === pathOf(request))
        told = { status: response.status, answer: await response.clone().json() };
      return response;
    };
    class Watched extends Fatura {
      constructor(options: FaturaOptions) {
        super({ ...options, retries: 0, fetch: fetchAndKeep });
      }
    }
    const [head = '', ...code] = sampleOf('typescript', request).split('\n');
    if (head !== "import { Fatura } from '@fatura/sdk';") throw new Error(`a sample begins otherwise: ${head}`);
    const sample = new AsyncFunction('Fatura', 'process', 'console', stripTypeScriptTypes(code.join('\n')));
    const work = sample(Watched, { env: { FATURA_API_KEY: apiKey } }, { log() {} });
    await work.catch((error: unknown) => {
      if (told === null) throw error;
    });
    if (told === null) throw new Error(`${request.operation.operationId} was not asked`);
    return told;
  },
  stop() {},
};

async function startPython(): Promise<Runner> {
  const programs = await pythonTools('samples', 'test/story/python/requirements.txt');
  let apiKey: string | null = null;
  let python: ReturnType<typeof spawn> | null = null;
  let lines: AsyncIterator<string> | null = null;
  return {
    async run(request, key) {
      if (python === null || apiKey !== key) {
        python?.kill();
        apiKey = key;
        python = spawn(join(programs, 'python'), ['test/story/python/run.py'], {
          stdio: ['pipe', 'pipe', 'inherit'],
          env: { ...process.env, FATURA_API_KEY: key },
        });
        if (python.stdout === null) throw new Error('it has an output');
        lines = createInterface(python.stdout)[Symbol.asyncIterator]();
      }
      python.stdin?.write(`${JSON.stringify(sampleOf('python', request))}\n`);
      const line = await lines?.next();
      if (line === undefined || line.done) throw new Error('Python ended');
      return JSON.parse(line.value) as Told;
    },
    stop: () => void python?.kill(),
  };
}

export const startRunner = async (language: SampleLanguage): Promise<Runner> =>
  ({ curl: async () => curl, typescript: async () => typescript, python: startPython })[language]();
