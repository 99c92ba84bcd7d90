import { create, createFileRegistry } from '@bufbuild/protobuf';
import {
  type CodeGeneratorRequest,
  type CodeGeneratorResponse,
  CodeGeneratorResponse_Feature,
  CodeGeneratorResponseSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import { type Plugin, runNodeJs } from '@bufbuild/protoplugin';
import { openApiDocument } from './document.ts';

/** protoc plugin that generates one openapi.json from all files of a request. */
const plugin: Plugin = { name: 'protoc-gen-bailiwick-openapi', version: 'v1', run };

function run(request: CodeGeneratorRequest): CodeGeneratorResponse {
  const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: request.protoFile }));
  const errorResponse = registry.getMessage('bailiwick.common.v1.ErrorResponse');
  if (errorResponse === undefined)
    throw new Error('bailiwick.common.v1.ErrorResponse is not among the files');
  const services = [...registry.files]
    .filter((file) => request.fileToGenerate.includes(`${file.name}.proto`))
    .flatMap((file) => file.services);
  const content = `${JSON.stringify(openApiDocument(services, errorResponse), null, 2)}\n`;
  return create(CodeGeneratorResponseSchema, {
    supportedFeatures: BigInt(CodeGeneratorResponse_Feature.PROTO3_OPTIONAL),
    file: [{ name: 'openapi.json', content }],
  });
}

runNodeJs(plugin);
