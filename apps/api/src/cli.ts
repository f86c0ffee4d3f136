import { readFileSync } from 'node:fs';
import { newToken } from '@plant-store/adapters-tokens';
import { Command, Option } from 'commander';
import { readConfig } from './config.ts';
import { serve } from './serve.ts';
import { databaseUrlForms, type MigrationStatus, type StoreEngine, storeEngine } from './stores.ts';
import { verifyCommands } from './verify/commands.ts';

/** The command line, `plant-store`. It reads the environment that it is given, and writes to standard output. */
export function commandLine(environment: NodeJS.ProcessEnv): Command {
  const program = new Command('plant-store')
    .description('The plant store service: creates plants over HTTP, and keeps them.')
    .version(version(), '-v, --version')
    .addHelpText('after', environmentHelp)
    .showHelpAfterError('(plant-store --help shows what there is)');

  program
    .command('serve', { isDefault: true })
    .description('run the service (the default)')
    .allowExcessArguments()
    .action((_options, { args: [unknown] }) => {
      // As the default, this is where a command that does not exist ends up.
      if (unknown !== undefined) program.error(`error: unknown command '${unknown}'`);
      return serve(environment);
    });

  const migrate = program.command('migrate').description("look after the store's schema");
  migrate
    .command('up')
    .description('bring the schema up to date')
    .addOption(new Option('--distribute <engine>', 'then spread the plants by id over the nodes').choices(['citus']))
    .action(async ({ distribute }: { distribute?: string }) => {
      const store = engine(environment);
      if (distribute && !store.distribute) throw new Error('--distribute: this store cannot be spread over nodes');
      print(await store.migrate());
      if (distribute) await store.distribute?.();
    });
  migrate
    .command('status')
    .description('show which migrations were applied; exit code 1 if one is missing')
    .action(async () => {
      const status = await engine(environment).status();
      print(status);
      if (status.some(({ applied }) => !applied)) process.exitCode = 1;
    });

  program
    .command('token')
    .description('make access tokens')
    .command('new')
    .description('print a new token, once, and the entry for API_TOKENS that accepts it')
    .action(() => {
      const { token, entry } = newToken();
      process.stdout.write(
        `token: ${token}\nentry: ${entry}\n\nGive the token to the caller; put the entry into API_TOKENS or API_TOKENS_FILE.\n`,
      );
    });

  for (const command of verifyCommands(environment)) program.addCommand(command);
  return program;
}

function engine(environment: NodeJS.ProcessEnv): StoreEngine {
  const { databaseUrl } = readConfig(environment);
  return storeEngine(databaseUrl, () => {});
}

function print(status: MigrationStatus): void {
  const lines = status.map(({ name, applied }) => `${applied ? 'applied' : 'missing'}  ${name}`);
  process.stdout.write(`${lines.join('\n') || 'this store has no schema'}\n`);
}

function version(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}

const environmentHelp = `
Environment variables:
  HOST, PORT              public listener (127.0.0.1, 3000; port 0 picks a free one)
  ADMIN_HOST, ADMIN_PORT  /livez and /readyz (127.0.0.1, 3001; ADMIN_PORT=off switches it off)
  DATABASE_URL            ${databaseUrlForms} (sqlite:<DATA_DIR>/plants.db)
  DATA_DIR                directory of the embedded store and the token made here (data in the repository)
  DATABASE_POOL_SIZE      most connections to PostgreSQL, of each worker (10)
  DATABASE_CONNECT_TIMEOUT_MS, DATABASE_ANSWER_TIMEOUT_MS
                          how long connecting, and storing a plant altogether, may take (1500, 2000)
  MIGRATE                 auto migrates at start, off refuses to start on an old schema (auto)
  API_TOKENS              accepted tokens, comma-separated, each clear or sha256:<64 hex>
  API_TOKENS_FILE         the same, one a line, # comments; re-read when it changes
  JWT_ISSUER, JWT_AUDIENCE, JWT_JWKS_URL or JWT_JWKS_FILE
                          JWTs of this issuer for this audience are accepted as well; docs/tokens.md has the rest
  WORKERS                 how many processes serve on one port (1)
  BODY_LIMIT              largest request body in bytes (1048576)
  MAX_REQUESTS_IN_FLIGHT  requests a process answers at once, others get a 503 (2000)
  RATE_LIMIT_PER_SECOND   requests a second with one token, others get a 429 (no limit)
  LOG_LEVEL               fatal, error, warn, info, debug, trace or silent (info)
  NODE_ENV                production refuses to start without tokens`;
