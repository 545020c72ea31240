import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished } from 'vitest';
import { COMPILED, type User } from '../run-cli.ts';

const PROGRAM = fileURLToPath(new URL('../../../../sdk/src/cli/main.ts', import.meta.url));

/** What a tool answered: its text read as JSON, and whether it was an error. */
export interface Told {
  readonly isError: boolean;
  readonly text: string;
  // What a tool answers is whatever the service has for it.
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every form
  readonly json: any;
}

/** An agent with the server as a child, by the real client of the protocol. */
export interface Agent {
  readonly client: Client;
  /** What the person was asked, where the agent can ask. */
  readonly asked: string[];
  /** What the server told on stderr. */
  readonly stderr: string[];
  call(name: string, args?: Record<string, unknown>): Promise<Told>;
  /** The code that the terminal shows of a question; each is read once. */
  codeOf(words: string): Promise<string>;
  /** Calls a tool that is confirmed, and once more with the code that the person reads out. */
  confirm(name: string, args: Record<string, unknown>): Promise<Told>;
  tools(): Promise<string[]>;
}

interface AgentOptions {
  readonly args?: readonly string[];
  /** What the person answers when asked; absent: the agent cannot ask. */
  readonly person?: () => { action: 'accept' | 'decline' | 'cancel'; content?: { confirm: boolean } };
  readonly program?: string;
}

export async function startAgent(
  { env }: User,
  { args = [], person, program = PROGRAM }: AgentOptions = {},
): Promise<Agent> {
  const { PATH = '', HOME = '' } = process.env;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', ...args],
    env: { PATH, HOME, NODE_COMPILE_CACHE: COMPILED, ...env },
    stderr: 'pipe',
  });
  const stderr: string[] = [];
  transport.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk.toString()));
  const capabilities = person === undefined ? {} : { elicitation: { form: {} } };
  const client = new Client({ name: 'agent', version: '1.0.0' }, { capabilities });
  const asked: string[] = [];
  if (person !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      return person();
    });
  }
  await client.connect(transport);
  onTestFinished(() => client.close());
  const read = new Set<string>();
  const codeOf = async (words: string): Promise<string> => {
    const lines = () => [...stderr.join('').matchAll(/^Confirm by (\S+), or do nothing: (.*)$/gm)];
    const find = () => lines().find(([, code = '', what]) => what === words && !read.has(code))?.[1];
    await expect.poll(find, { message: `the code of ${words}` }).toBeDefined();
    const code = find() ?? '';
    read.add(code);
    return code;
  };
  const agent: Agent = {
    client,
    asked,
    stderr,
    codeOf,
    async confirm(name, given) {
      const { confirmation_needed: words } = (await agent.call(name, given)).json;
      return agent.call(name, { ...given, confirmation_code: await codeOf(words) });
    },
    async call(name, given = {}) {
      const { content, isError } = await client.callTool({ name, arguments: given });
      const [first] = content as { type: string; text: string }[]; // this server answers one text
      const text = first?.text ?? '';
      const json = text.startsWith('{') && text.endsWith('}') ? JSON.parse(text) : null;
      return { isError: isError === true, text, json };
    },
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
  };
  return agent;
}
