import { type Story, storyAt } from '../contract/openapi/examples.ts';
import { buildOpenApi } from '../contract/openapi.ts';

/** The parts of a JSON schema that the reference shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Content {
  readonly 'application/json'?: {
    readonly schema: Schema;
    readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
  };
}

interface Answer {
  readonly description: string;
  readonly content?: Content;
  readonly 'x-error-codes'?: readonly string[];
}

/** An operation with its place in the document. */
export interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly [string];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
  readonly 'x-scope': 'read' | 'write';
  readonly 'x-sandbox-only'?: true;
}

export interface Group {
  readonly name: string;
  readonly 'x-displayName': string;
  readonly description: string;
}

interface RawDocument {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, 'method' | 'path'>>>>>;
  readonly tags: readonly Group[];
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly webhooks: Readonly<
    Record<string, { readonly post: { readonly requestBody: { readonly content: Content } } }>
  >;
}

/** The OpenAPI document, read for its pages. */
export class ApiDocument {
  readonly serverUrl: string;
  readonly story: Story;
  readonly introduction: string;
  readonly groups: readonly Group[];
  readonly operations: readonly Operation[];
  readonly #raw: RawDocument;

  constructor(serverUrl: string) {
    // The builder promises an OpenAPI document, typed loosely.
    const raw = buildOpenApi(serverUrl) as unknown as RawDocument;
    this.#raw = raw;
    this.serverUrl = serverUrl;
    this.story = storyAt(serverUrl);
    this.introduction = raw.info.description;
    this.groups = raw.tags;
    this.operations = Object.entries(raw.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
    );
  }

  /** The document itself. */
  get source(): object {
    return this.#raw;
  }

  operationsOf(group: string): readonly Operation[] {
    return this.operations.filter(({ tags }) => tags[0] === group);
  }

  nameOf(schema: Schema): string | null {
    return schema.$ref?.split('/').at(-1) ?? null;
  }

  /** A schema with its reference followed; what stands beside the reference wins. */
  resolve(schema: Schema): Schema {
    const name = this.nameOf(schema);
    if (name === null) return schema;
    const { $ref, ...beside } = schema;
    return { ...this.#raw.components.schemas[name], ...beside };
  }

  /** The example of each event type. */
  get events(): readonly (readonly [type: string, example: unknown])[] {
    return Object.entries(this.#raw.webhooks).map(([type, { post }]) => {
      const [example] = Object.values(post.requestBody.content['application/json']?.examples ?? {});
      return [type, example?.value] as const;
    });
  }
}

/** The answer of an operation when it succeeds. */
export function successOf({ responses, operationId }: Operation): Answer & { readonly status: string } {
  const found = Object.entries(responses).find(([status, { content }]) => {
    const examples = content?.['application/json']?.examples ?? {};
    return Number(status) < 300 && Object.keys(examples).length > 0;
  });
  if (found === undefined) throw new Error(`${operationId} has no answer that is shown`);
  return { ...found[1], status: found[0] };
}

/** The codes that an operation may be refused with, each once. */
export const codesOf = ({ responses }: Operation): readonly string[] =>
  Object.values(responses).flatMap((answer) => answer['x-error-codes'] ?? []);
