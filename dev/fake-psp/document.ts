import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import addFormats from 'ajv-formats';
import { type Document, OpenAPIBackend } from 'openapi-backend';
import { parse } from 'yaml';
import { type Correction, correct, corrections } from './patch.ts';
import type { Violation } from './problem.ts';
import { type Operation, operations } from './troubles.ts';

/** What the document says of a call. */
export interface Found {
  readonly operation: Operation;
  /** That a token needs for it. */
  readonly scope: string;
  readonly params: Readonly<Record<string, string>>;
}

/** A call as it is held to the document. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
  /** JSON. */
  readonly body: string;
}

const PATH = join(import.meta.dirname, 'pix-api-2.9.0.yaml');
const NO_JSON: Violation = { razao: 'O corpo da requisição não é JSON.', propriedade: '' };

/** The document of the central bank, with corrections, as a judge of calls. */
export class PixDocument {
  private readonly api: OpenAPIBackend;

  constructor(api: OpenAPIBackend) {
    this.api = api;
  }

  /** Null: no operation of the document. */
  match(method: string, path: string): Found | null {
    const request = { method, path, headers: {} };
    const found = this.api.router.matchOperation(request);
    const operation = operations.find((each) => each === found?.operationId);
    if (found === undefined || operation === undefined) return null;
    // The router decodes parts of a path, and throws where they are not encoded.
    if (!isDecodable(path)) return null;
    const { params } = this.api.router.parseRequest(request, found);
    return { operation, scope: found.security?.[0]?.OAuth2?.[0] ?? '', params };
  }

  /** The body of a call, and in what it is against the document. */
  read({ method, path, headers, query, body }: Asked): { body: unknown; violations: Violation[] } {
    const json = parsed(body);
    const isJson = body === '' || headers['content-type']?.startsWith('application/json') === true;
    if (json === NO_JSON || !isJson) return { body: null, violations: [NO_JSON] };
    const request = {
      method,
      path,
      headers: { ...('content-type' in headers ? { 'content-type': headers['content-type'] ?? '' } : {}) },
      query: Object.fromEntries(query),
      ...(json === undefined ? {} : { body: json }),
    };
    const { errors } = this.api.validateRequest(request);
    const violations = (errors ?? []).map(({ instancePath, message = '', params }) => ({
      razao: `O campo não respeita o schema: ${message}${'allowedValues' in params ? `: ${params.allowedValues}` : ''}.`,
      propriedade: instancePath.replace(/^\/(requestBody|path|query)\/?/, '').replaceAll('/', '.'),
    }));
    return { body: json, violations };
  }

  /** Whether an answer has the form that the document promises. */
  promises(operation: Operation, status: number, body: unknown): boolean {
    return this.api.validator.validateResponse(body, operation, status).valid;
  }
}

let usual: Promise<PixDocument> | null = null;

/** With all corrections: compiled once, for it holds nothing of any PSP. */
export function openDocument(): Promise<PixDocument> {
  usual ??= openDocumentWith(corrections);
  return usual;
}

export async function openDocumentWith(applied: readonly Correction[]): Promise<PixDocument> {
  const definition = correct(parse(readFileSync(PATH, 'utf8')), applied) as unknown as Document; // it is one
  const api = new OpenAPIBackend({
    definition,
    quick: true,
    coerceTypes: true,
    customizeAjv: (ajv) => addFormats.default(ajv),
  });
  await api.init();
  return new PixDocument(api);
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function parsed(body: string): unknown {
  if (body === '') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return NO_JSON;
  }
}
