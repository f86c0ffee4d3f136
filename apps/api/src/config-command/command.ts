import type { Command } from 'commander';
import { command } from '../command.ts';
import { readConfig } from '../config.ts';
import { textOf } from '../setting.ts';
import { allSettings, defaultOf } from './settings-text.ts';

/** `config`. */
export function configCommand(environment: NodeJS.ProcessEnv): Command {
  return command(
    'config',
    'print the configuration as it is in effect, and where each value comes from; no secrets',
  ).action(() => {
    const { databaseUrl } = readConfig(environment);
    process.stdout.write(configText(environment, databaseUrl));
  });
}

/** A line for every setting. */
function configText(environment: NodeJS.ProcessEnv, databaseUrl: string): string {
  const rows = Object.entries(allSettings).map(([name, setting]): [string, string, string] => {
    const given = textOf(environment, name);
    const effective = given ?? setting.default ?? (name === 'DATABASE_URL' ? databaseUrl : undefined);
    const shown = effective === undefined ? (defaultOf(setting) ?? '') : (setting.masked?.(effective) ?? effective);
    return [name, given === undefined ? 'default' : 'environment', shown];
  });
  const width = Math.max(...rows.map(([name]) => name.length));
  return (
    rows.map(([name, source, shown]) => `${name.padEnd(width)}  ${source.padEnd(11)}  ${shown}`.trimEnd()).join('\n') +
    '\n'
  );
}
