import { VERSION } from '../version.ts';
import type { Command, Options } from './command.ts';

const everywhere: Options = { help: { type: 'boolean', help: 'Show this.' } };

/** Rows of two columns, the first as wide as it must be. */
function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([first]) => first.length));
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}`).join('\n');
}

export const usageOf = ({ name, options, operands }: Command): string =>
  ['fatura', name, operands, Object.keys(options).length > 0 ? '[options]' : '']
    .filter((part) => part !== '')
    .join(' ');

export function helpOf(command: Command): string {
  const options = Object.entries({ ...command.options, ...everywhere });
  const rows = options.map(
    ([name, { value, help }]) => [`--${name}${value === undefined ? '' : ` <${value}>`}`, help] as const,
  );
  const details = command.details === undefined ? '' : `\n${command.details}\n`;
  return `${command.summary}\n\nUsage: ${usageOf(command)}\n${details}\nOptions:\n${table(rows)}`;
}

export const helpOfAll = (
  commands: readonly Command[],
): string => `fatura ${VERSION}: the Fatura billing API at your terminal

Usage: fatura <command> [options]

Commands:
${table(commands.map(({ name, operands, summary }) => [`${name} ${operands}`.trim(), summary]))}

Variables:
${table([
  ['FATURA_API_KEY', 'The API key; wins over that of `fatura login`.'],
  ['FATURA_BASE_URL', 'Where the service runs; default http://127.0.0.1:3000.'],
  ['XDG_CONFIG_HOME', 'Where fatura/ is, with the key and what listeners remember; default ~/.config.'],
])}

\`fatura <command> --help\` tells more. Exit codes: 0 done, 1 refused or failed, 2 the command line is wrong.`;
