import type { ItemOf } from '@bailiwick/client/client.ts';
import { Textarea, TextInput } from '@mantine/core';
import { ifUnchanged } from '../parts/edit-form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';

export type Bot = ItemOf<'Bots_List'>;

type Props = {
  /** The bot to change; a new one if it is missing. */
  bot?: Bot;
  onClose: () => void;
  onSaved: (bot: { ID: string }) => void;
};

/** Creates a bot, or changes its name and description. */
export function BotDialog({ bot, onClose, onSaved }: Props) {
  const { t } = useTexts();
  const { ID } = useTenant();
  return (
    <FormDialog
      onClose={onClose}
      title={t(bot ? 'bots.edit' : 'bots.create')}
      operation="Bots_Save"
      initial={{ name: bot?.Name ?? '', description: bot?.Description ?? '' }}
      check={({ name }) => ({ name: name.trim() === '' ? t('bots.nameMissing') : null })}
      toRequest={({ name, description }) => ({
        Bot: {
          ...(bot && { ID: bot.ID }),
          Tenant: ID,
          Name: name.trim(),
          Description: description.trim(),
        },
        ...(bot && ifUnchanged(bot)),
      })}
      stale={['Bots_List', 'Bots_Get']}
      onDone={({ Bot }) => {
        onClose();
        onSaved(Bot);
      }}
      submit={t('form.save')}
    >
      {(form) => (
        <>
          <TextInput
            {...form.getInputProps('name')}
            label={t('bots.name')}
            description={t('bots.nameAbout')}
            maxLength={128}
            autoComplete="off"
            data-autofocus
          />
          <Textarea
            {...form.getInputProps('description')}
            label={t('bots.description')}
            maxLength={512}
            autosize
            minRows={2}
          />
        </>
      )}
    </FormDialog>
  );
}
