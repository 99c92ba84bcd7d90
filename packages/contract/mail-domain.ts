import { domainToASCII } from 'node:url';
import { type Problem, problem } from '@bailiwick/errors';
import { address } from '@bailiwick/proto/gen/bailiwick/options/v1/rules_pb.ts';
import {
  type DescField,
  type DescMessage,
  getOption,
  hasExtension,
  type Message,
} from '@bufbuild/protobuf';
import { field as fieldRules } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';

// A check that the rule `address` cannot express in the proto files: the address has a domain that can be looked up in DNS.

const addressed = new WeakMap<DescMessage, readonly DescField[]>();

/** The fields of a message that are addresses, and its records that can contain addresses. */
function addressedFields(schema: DescMessage): readonly DescField[] {
  let fields = addressed.get(schema);
  if (fields === undefined) {
    fields = schema.fields.filter((field) =>
      field.fieldKind === 'message' ? addressedFields(field.message).length > 0 : isAddress(field),
    );
    addressed.set(schema, fields);
  }
  return fields;
}

function isAddress(field: DescField): boolean {
  const { type } = getOption(field, fieldRules);
  return type.case === 'string' && hasExtension(type.value, address);
}

/** Returns a problem for each address whose domain has no ASCII form, such as a@xn--ü.com. */
export function mailDomainProblems(schema: DescMessage, message: Message, path = ''): Problem[] {
  const values = message as unknown as Record<string, Message | string | undefined>;
  return addressedFields(schema).flatMap((field) => {
    const value = values[field.localName];
    if (value === undefined || value === '') return [];
    if (typeof value !== 'string')
      return field.message
        ? mailDomainProblems(field.message, value, `${path}${field.jsonName}.`)
        : [];
    return hasDomain(value)
      ? []
      : [problem(`${path}${field.jsonName}`, 'email', 'must be a mail address')];
  });
}

const hasDomain = (text: string): boolean =>
  domainToASCII(text.slice(text.lastIndexOf('@') + 1).trim()) !== '';
