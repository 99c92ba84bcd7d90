import type { ItemOf } from '@bailiwick/client/client.ts';
import { NativeSelect, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { CodeBlock } from '../parts/code-block.tsx';
import { ifUnchanged } from '../parts/edit-form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { publicUrl } from '../parts/place.ts';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import type { Bot } from './bot-dialog.tsx';
import {
  clusterIssuer,
  emptyFields,
  fieldsFrom,
  fieldsOf,
  gitlabIssuer,
  type Kind,
  kinds,
  type TrustFields,
  trustOf,
} from './trust-forms.ts';

export type Trust = ItemOf<'BotTrusts_List'>;

export const kindNames: Readonly<Record<Kind, TextKey>> = {
  kubernetes: 'bots.kubernetes',
  github: 'bots.github',
  gitlab: 'bots.gitlab',
  other: 'bots.otherIssuer',
};

const optional = new Set<keyof TrustFields>(['jwks', 'branch', 'claims', 'number']);
const issuers: Partial<Record<Kind, string>> = { kubernetes: clusterIssuer, gitlab: gitlabIssuer };

type Props = { bot: Bot; trust?: Trust; onClose: () => void; onSaved: (trust: Trust) => void };

/** Adds a trust by a form for its issuer, or changes one in the form that fits every issuer. */
export function TrustDialog({ bot, trust, onClose, onSaved }: Props) {
  const { t } = useTexts();
  const initial = trust ? fieldsFrom(trust) : emptyFields(publicUrl);
  return (
    <FormDialog
      onClose={onClose}
      size="lg"
      title={t(trust ? 'bots.editTrust' : 'bots.createTrust')}
      operation="BotTrusts_Save"
      initial={initial}
      check={(fields) => {
        const names = [...fieldsOf[fields.kind], 'audience' as const];
        const missing = names.filter((name) => !optional.has(name) && fields[name] === '');
        return Object.fromEntries(missing.map((name) => [name, t('bots.fieldMissing')]));
      }}
      toRequest={(fields) => ({
        Trust: {
          ...(trust && { ID: trust.ID }),
          Tenant: bot.Tenant,
          Bot: bot.ID,
          ...trustOf(fields),
        },
        ...(trust && ifUnchanged(trust)),
      })}
      stale={['BotTrusts_List']}
      onDone={({ Trust }) => onSaved(Trust)}
      submit={t('form.save')}
    >
      {(form) => (
        <>
          {!trust && <KindChoice form={form} />}
          {fieldsOf[form.values.kind].map((name) => (
            <Field key={name} name={name} form={form} />
          ))}
          <TextInput
            {...form.getInputProps('audience')}
            label={t('bots.audience')}
            description={t('bots.audienceAbout')}
          />
        </>
      )}
    </FormDialog>
  );
}

type FieldProps = { form: UseFormReturnType<TrustFields> };

function KindChoice({ form }: FieldProps) {
  const { t } = useTexts();
  return (
    <NativeSelect
      label={t('bots.issuerKind')}
      data={kinds.map((kind) => ({ value: kind, label: t(kindNames[kind]) }))}
      value={form.values.kind}
      onChange={({ currentTarget }) => {
        const kind = currentTarget.value as Kind;
        form.clearErrors();
        form.setValues({ kind, issuer: issuers[kind] ?? '' });
      }}
      data-autofocus
    />
  );
}

type Texts = { label: TextKey; description?: TextKey; example?: string };

const textsOf = (name: keyof TrustFields, kind: Kind): Texts => {
  const texts: Partial<Record<keyof TrustFields, Texts>> = {
    issuer: { label: 'bots.issuer', description: 'bots.issuerAbout' },
    namespace: { label: 'bots.namespace', example: 'ci' },
    account: { label: 'bots.serviceAccount', example: 'deployer' },
    project: { label: kind === 'github' ? 'bots.repository' : 'bots.project', example: 'acme/app' },
    branch: { label: 'bots.branch', description: 'bots.branchAbout', example: 'main' },
    number:
      kind === 'github'
        ? { label: 'bots.owner', description: 'bots.ownerAbout', example: '583231' }
        : { label: 'bots.projectId', description: 'bots.projectIdAbout', example: '20' },
    subject: { label: 'bots.subject', description: 'bots.subjectAbout' },
    claims: { label: 'bots.claims', description: 'bots.claimsAbout' },
    jwks: { label: 'bots.jwks', description: 'bots.jwksAbout' },
  };
  return texts[name] ?? { label: 'bots.issuer' };
};

function Field({ name, form }: FieldProps & { name: keyof TrustFields }) {
  const { t } = useTexts();
  const { kind } = form.values;
  const { label, description, example } = textsOf(name, kind);
  const props = {
    ...form.getInputProps(name),
    label: t(label),
    ...(description && { description: t(description) }),
    ...(example !== undefined && { placeholder: example }),
  };
  if (name === 'claims') return <TagsInput {...props} />;
  if (name !== 'jwks') return <TextInput {...props} autoComplete="off" spellCheck={false} />;
  return (
    <>
      <Textarea {...props} autosize minRows={2} maxRows={6} spellCheck={false} />
      {kind === 'kubernetes' && (
        <div>
          <Text size="xs" c="dimmed" mb={4}>
            {t('bots.jwksCommand')}
          </Text>
          <CodeBlock code="kubectl get --raw /openid/v1/jwks" name={t('bots.jwksCommand')} />
        </div>
      )}
    </>
  );
}
