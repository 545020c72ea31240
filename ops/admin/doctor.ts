import type { Command } from 'commander';
import { examine } from '../doctor/doctor.ts';
import { print } from './command.ts';

/** Tells what is amiss with an installation, and what to do about it. */
export function doctorCommand(program: Command, env: Readonly<Record<string, string | undefined>>): void {
  program
    .command('doctor')
    .description(
      'look at the settings and all that they lead to; what is wrong comes with its remedy, and the exit code 1',
    )
    .action(async () => {
      const findings = await examine(env);
      findings.forEach(print);
      if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
    });
}
