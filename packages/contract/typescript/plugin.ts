import { reasons, rules } from '@bailiwick/errors';
import { create, createFileRegistry } from '@bufbuild/protobuf';
import {
  type CodeGeneratorRequest,
  type CodeGeneratorResponse,
  CodeGeneratorResponse_Feature,
  CodeGeneratorResponseSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import { type Plugin, runNodeJs } from '@bufbuild/protoplugin';
import { readOperation } from '../operation.ts';
import { helpFile } from './help.ts';
import { operationsFile } from './operations.ts';
import { typesFile } from './types.ts';

// Our own, because the types are a part of the published client. json_types of protoc-gen-es makes all
// fields of responses optional and includes the internal messages; openapi-typescript writes 1.1 MB
// instead of 0.2 MB, in which the name of a type is components["schemas"]["Group"].

/** protoc plugin that generates the code of the client and the command-line tool from all files of a request. */
const plugin: Plugin = { name: 'protoc-gen-bailiwick-client', version: 'v1', run };

const notice = '// Generated from the proto files by `npm run generate`. Do not edit.\n\n';

function run(request: CodeGeneratorRequest): CodeGeneratorResponse {
  const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: request.protoFile }));
  const operations = [...registry.files]
    .filter((file) => request.fileToGenerate.includes(`${file.name}.proto`))
    .flatMap((file) => file.services)
    .flatMap((service) => service.methods)
    .map((method) => readOperation(method))
    // Only the delivery worker calls the task operations.
    .filter((operation) => operation.public && operation.credential !== 'worker')
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const file = [
    { name: 'client/gen/types.ts', content: notice + typesFile(operations) },
    { name: 'client/gen/operations.ts', content: notice + operationsFile(operations) },
    { name: 'client/gen/reasons.ts', content: notice + reasonsFile() },
    { name: 'cli/gen/help.ts', content: notice + helpFile(operations) },
  ];
  return create(CodeGeneratorResponseSchema, {
    supportedFeatures: BigInt(CodeGeneratorResponse_Feature.PROTO3_OPTIONAL),
    file,
  });
}

/** The reasons of errors and the rules of problems, as types. */
const reasonsFile = (): string =>
  `/** The reasons of errors: docs/api.md says what to do. A newer service may send others. */
export type ErrorReason =
${unionOf(reasons)}
/** The rules that a request can fail: docs/api.md lists them. A newer service may send others. */
export type ErrorRule =
${unionOf(rules)}`;

const unionOf = (words: object): string =>
  `${Object.keys(words)
    .map((word) => `  | '${word}'`)
    .join('\n')};\n`;

runNodeJs(plugin);
