import type { ItemOf, OperationName, RequestOf, ResponseOf } from '@bailiwick/client/client.ts';
import { NumberInput, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useState } from 'react';
import { useCall } from '../parts/calls.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { NewSecret } from './new-secret.tsx';

type Endpoint = ItemOf<'Webhooks_ListEndpoints'>;
export type Fields = {
  name: string;
  url: string;
  eventTypes: string[];
  description: string;
  rateLimit: number | string;
  /** The format of a chat channel's messages; null = that of its address. */
  kind: string | null;
};

const fieldsOf = ({ Name, URL, EventTypes, Description, RateLimit }: Endpoint): Fields => ({
  name: Name,
  url: URL,
  eventTypes: [...EventTypes],
  description: Description,
  rateLimit: RateLimit,
  kind: null,
});
export const none: Fields = {
  name: '',
  url: '',
  eventTypes: [],
  description: '',
  rateLimit: 0,
  kind: null,
};
const endpointOf = ({ name, url, eventTypes, description, rateLimit }: Fields) => ({
  Name: name.trim(),
  URL: url.trim(),
  EventTypes: eventTypes,
  Description: description,
  RateLimit: Number(rateLimit) || 0,
});

const chatKinds = ['slack', 'teams', 'discord', 'mattermost', 'generic'];

/** Creates an endpoint, and then shows its secret. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  const { ID } = useTenant();
  const [secret, setSecret] = useState('');
  if (secret !== '') return <NewSecret secret={secret} onClose={onClose} />;
  return (
    <EndpointDialog
      title={t('webhooks.create')}
      operation="Webhooks_CreateEndpoint"
      initial={none}
      toRequest={(fields) => ({ Endpoint: { Tenant: ID, ...endpointOf(fields) } })}
      onDone={({ Secret }) => setSecret(Secret)}
      onClose={onClose}
      submit={t('webhooks.create')}
    />
  );
}

/** Changes an endpoint. Its secret stays. */
export function EditDialog({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { t } = useTexts();
  const { ID, Tenant } = endpoint;
  return (
    <EndpointDialog
      title={t('webhooks.edit')}
      operation="Webhooks_UpdateEndpoint"
      initial={fieldsOf(endpoint)}
      toRequest={(fields) => ({ Endpoint: { ID, Tenant, ...endpointOf(fields) } })}
      notice={t('webhooks.saved')}
      onClose={onClose}
      submit={t('form.save')}
    />
  );
}

type Props<Name extends OperationName> = {
  title: string;
  /** A chat channel has a secret address, which a change can keep, and the rate of its service. */
  chat?: 'new' | 'stored';
  operation: Name;
  initial: Fields;
  toRequest: (fields: Fields) => RequestOf<Name>;
  notice?: string;
  onDone?: (response: ResponseOf<Name>) => void;
  onClose: () => void;
  submit: string;
};

export function EndpointDialog<Name extends OperationName>({ chat, ...form }: Props<Name>) {
  const { t } = useTexts();
  const types = useEventTypes();
  return (
    <FormDialog
      {...form}
      size="lg"
      check={({ name, url }) => ({
        name: name.trim() === '' ? t('webhooks.nameMissing') : null,
        url:
          URL.canParse(url.trim()) || (chat === 'stored' && url.trim() === '')
            ? null
            : t('webhooks.urlMissing'),
      })}
      stale={
        chat
          ? ['Chat_ListEndpoints', 'Chat_GetEndpoint']
          : ['Webhooks_ListEndpoints', 'Webhooks_GetEndpoint']
      }
    >
      {(fields) => (
        <>
          <Address form={fields} chat={chat} />
          <TagsInput
            {...fields.getInputProps('eventTypes')}
            label={t('webhooks.events')}
            description={t('webhooks.eventsAbout')}
            data={types}
            limit={30}
            clearable
          />
          <Textarea
            {...fields.getInputProps('description')}
            label={t('webhooks.description')}
            autosize
          />
          {chat ? <Kind form={fields} chat={chat} /> : <Rate form={fields} />}
        </>
      )}
    </FormDialog>
  );
}

type AddressProps = { form: UseFormReturnType<Fields>; chat: 'new' | 'stored' | undefined };

function Address({ form, chat }: AddressProps) {
  const { t } = useTexts();
  const hints = {
    new: 'webhooks.chatUrlAbout',
    stored: 'webhooks.chatUrlKeep',
    webhook: 'webhooks.urlAbout',
  } as const;
  return (
    <>
      <TextInput {...form.getInputProps('name')} label={t('webhooks.name')} data-autofocus />
      <TextInput
        {...form.getInputProps('url')}
        label={t(chat ? 'webhooks.chatUrl' : 'webhooks.url')}
        description={t(hints[chat ?? 'webhook'])}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
      />
    </>
  );
}

function Kind({ form, chat }: AddressProps) {
  const { t } = useTexts();
  return (
    <Select
      {...form.getInputProps('kind')}
      label={t('webhooks.chatKind')}
      description={t('webhooks.chatKindAbout')}
      data={chatKinds}
      clearable={chat === 'new'}
      allowDeselect={chat === 'new'}
    />
  );
}

function Rate({ form }: Pick<AddressProps, 'form'>) {
  const { t } = useTexts();
  return (
    <NumberInput
      {...form.getInputProps('rateLimit')}
      label={t('webhooks.rate')}
      description={t('webhooks.rateAbout')}
      min={0}
      max={1000}
      allowDecimal={false}
    />
  );
}

/** The types that an endpoint can ask for, and their families, such as user.*. */
function useEventTypes(): string[] {
  const { data } = useCall('Webhooks_ListEventTypes', {}, { staleTime: Number.POSITIVE_INFINITY });
  const types = data?.EventTypes.map(({ Type }) => Type) ?? [];
  const families = types.map((type) => `${type.slice(0, type.indexOf('.'))}.*`);
  return [...new Set(families), ...types];
}
