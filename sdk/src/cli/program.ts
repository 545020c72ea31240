import { parseArgs } from 'node:util';
import { VERSION } from '../version.ts';
import { clockAdvance } from './clock.ts';
import { type Command, type Context, parseOptions, type Values } from './command.ts';
import { eventsList, eventsResend } from './events.ts';
import { textOf, UsageFailure } from './failure.ts';
import { helpOf, helpOfAll, usageOf } from './help.ts';
import { init } from './init.ts';
import { listen } from './listen.ts';
import { login, logout } from './login.ts';
import { mcp } from './mcp.ts';
import { trigger } from './trigger.ts';

const commands: readonly Command[] = [
  init,
  login,
  logout,
  listen,
  trigger,
  eventsList,
  eventsResend,
  clockAdvance,
  mcp,
];

/** Where the program runs. */
export type Terminal = Pick<Context, 'env' | 'ended' | 'say' | 'tell'>;

/** The command whose words the arguments begin with, and the arguments behind them. */
function commandIn(args: readonly string[]): { command: Command; rest: string[] } | null {
  for (const command of commands) {
    const words = command.name.split(' ');
    if (words.every((word, place) => args[place] === word)) return { command, rest: args.slice(words.length) };
  }
  return null;
}

function parse(command: Command, rest: string[]): { values: Values; operands: string[] } {
  const options = { ...parseOptions(command.options), help: { type: 'boolean' as const } };
  try {
    const { values, positionals } = parseArgs({ args: rest, options, allowPositionals: true, strict: true });
    return { values: values as Values, operands: positionals }; // no option of ours may come several times
  } catch (error) {
    throw new UsageFailure(error instanceof Error ? error.message : String(error));
  }
}

async function runCommand(terminal: Terminal, command: Command, rest: string[]): Promise<void> {
  const { values, operands } = parse(command, rest);
  if (values.help === true) return terminal.say(helpOf(command));
  if (operands.length < command.operandsMin) throw new UsageFailure(`${command.operands} is missing`);
  if (operands.length > command.operandsMax) throw new UsageFailure(`nobody knows what ${operands.at(-1)} is for`);
  await command.run({ ...terminal, values, operands });
}

function refuse({ tell }: Terminal, command: Command | null, message: string): number {
  const more = command === null ? 'fatura --help' : `fatura ${command.name} --help`;
  tell(`${message}\n${command === null ? '' : `Usage: ${usageOf(command)}\n`}More: ${more}`);
  return 2;
}

/** What is said without a command. */
function answerFor({ say }: Terminal, first: string): boolean {
  if (first === '--version') say(VERSION);
  else if (first === '--help' || first === 'help') say(helpOfAll(commands));
  else return false;
  return true;
}

/** Does what the arguments say; answers the exit code. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  const found = commandIn(args);
  if (found === null) {
    if (answerFor(terminal, args[0] ?? '')) return 0;
    if (args.length > 0) return refuse(terminal, null, `No such command: ${args.join(' ')}`);
    terminal.tell(helpOfAll(commands));
    return 2;
  }
  try {
    await runCommand(terminal, found.command, found.rest);
    return 0;
  } catch (error) {
    if (error instanceof UsageFailure) return refuse(terminal, found.command, error.message);
    terminal.tell(textOf(error));
    return 1;
  }
}
