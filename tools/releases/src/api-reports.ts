import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  type ExtractorMessage,
  type IConfigFile,
} from '@microsoft/api-extractor';
import type { Report } from './report.ts';
import { root, type WorkspacePackage } from './workspace.ts';

/** The public API of every entry point of these packages, as `tsc -b` has declared it in their `dist`. */
export function apiReports(of: readonly WorkspacePackage[], update: boolean, inRoot: string = root): readonly Report[] {
  const entries = of.flatMap(({ folder, entryPoints }) =>
    [...entryPoints].map(([path, { types = '' }]) =>
      configOf(join(inRoot, folder), path === '.' ? 'index' : path.slice(2), types),
    ),
  );
  const [first] = entries;
  if (!first) return [];
  // One reading of all declarations: most of the time goes into those of Node and of the libraries.
  const compilerState = CompilerState.create(first, {
    additionalEntryPoints: entries.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath),
  });
  return entries.map((entry) => compared(entry, compilerState, update, inRoot));
}

function compared(entry: ExtractorConfig, compilerState: CompilerState, update: boolean, inRoot: string): Report {
  // api-extractor makes no folders.
  mkdirSync(entry.reportFolder, { recursive: true });
  const complaints: string[] = [];
  const { apiReportChanged } = Extractor.invoke(entry, {
    compilerState,
    localBuild: update,
    messageCallback(message: ExtractorMessage) {
      message.handled = true;
      const grave = [ExtractorLogLevel.Error, ExtractorLogLevel.Warning].includes(message.logLevel);
      // Of the report itself `apiReportChanged` tells.
      if (grave && !message.messageId.startsWith('console-'))
        complaints.push(message.formatMessageWithLocation(inRoot));
    },
  });
  rmSync(entry.reportTempFolder, { recursive: true, force: true });
  return { file: entry.reportFilePath.slice(inRoot.length + 1), changed: apiReportChanged, complaints };
}

function configOf(projectFolder: string, name: string, types: string): ExtractorConfig {
  const configObject: IConfigFile = {
    projectFolder,
    mainEntryPointFilePath: join(projectFolder, types),
    // api-extractor brings a TypeScript of its own, older than ours, which reads declarations only.
    compiler: {
      overrideTsconfig: {
        compilerOptions: { target: 'ES2024', lib: ['ES2024'], module: 'NodeNext', strict: true, types: ['node'] },
        files: [types],
      },
    },
    apiReport: {
      enabled: true,
      // What is not exported, but part of what is, is part of the promise, too.
      includeForgottenExports: true,
      reportFolder: '<projectFolder>/api',
      reportTempFolder: '<projectFolder>/reports/api',
      reportFileName: `${name}.api.md`,
    },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    newlineKind: 'lf',
    messages: {
      extractorMessageReporting: {
        default: { logLevel: ExtractorLogLevel.Warning },
        'ae-forgotten-export': { logLevel: ExtractorLogLevel.None },
        // There are no previews and no internals: what an entry point exports is public.
        'ae-missing-release-tag': { logLevel: ExtractorLogLevel.None },
        // A member whose name says it all needs no sentence; a link may lead to what an entry point does not export.
        'ae-undocumented': { logLevel: ExtractorLogLevel.None },
        'ae-unresolved-link': { logLevel: ExtractorLogLevel.None },
      },
    },
  };
  return ExtractorConfig.prepare({
    configObject,
    configObjectFullPath: undefined,
    packageJsonFullPath: join(projectFolder, 'package.json'),
  });
}
