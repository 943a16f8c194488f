ALTER TABLE `bags` ADD `position` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Ids were given in order before they were random.
UPDATE `bags` SET `position` = `id`;
