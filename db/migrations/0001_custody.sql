-- Locks made under the earlier rule keep what they gave: they count as entitled, written by their holder.
CREATE TABLE `__new_device_ticket_locks` (
	`device_id` text PRIMARY KEY NOT NULL,
	`plan_id` text NOT NULL,
	`journey_id` text NOT NULL,
	`baggage_id` integer NOT NULL,
	`entitled` integer NOT NULL,
	`holder_sub` text NOT NULL,
	`writer_sub` text NOT NULL,
	`commits` integer,
	`cti` text,
	`locked_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`lost_at` integer,
	`request_id` text NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`plan_id`) REFERENCES `travel_plans`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `__new_device_ticket_locks`(`device_id`, `plan_id`, `journey_id`, `baggage_id`, `entitled`, `holder_sub`, `writer_sub`, `locked_at`, `ends_at`, `lost_at`, `request_id`)
SELECT `device_id`, `plan_id`, `journey_id`, `baggage_id`, 1, `holder_sub`, `holder_sub`, `locked_at`, `ends_at`, `lost_at`, `request_id` FROM `device_ticket_locks`;--> statement-breakpoint
DROP TABLE `device_ticket_locks`;--> statement-breakpoint
ALTER TABLE `__new_device_ticket_locks` RENAME TO `device_ticket_locks`;--> statement-breakpoint
CREATE INDEX `locks_by_bag` ON `device_ticket_locks` (`baggage_id`);--> statement-breakpoint
CREATE INDEX `locks_by_plan` ON `device_ticket_locks` (`plan_id`);--> statement-breakpoint
CREATE INDEX `locks_by_holder` ON `device_ticket_locks` (`holder_sub`,`ends_at`);--> statement-breakpoint
CREATE INDEX `locks_by_end` ON `device_ticket_locks` (`ends_at`);--> statement-breakpoint
ALTER TABLE `devices` ADD `tag_spki` text;--> statement-breakpoint
ALTER TABLE `devices` ADD `commits` integer;--> statement-breakpoint
ALTER TABLE `devices` ADD `spent_commits` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `devices` ADD `ended_holder_sub` text;--> statement-breakpoint
ALTER TABLE `devices` ADD `ended_plan_id` text;--> statement-breakpoint
ALTER TABLE `devices` ADD `ended_reason` text;--> statement-breakpoint
ALTER TABLE `devices` ADD `ended_at` integer;--> statement-breakpoint
ALTER TABLE `devices` ADD `ended_cti` text;--> statement-breakpoint
ALTER TABLE `devices` ADD `entitled_at` integer;--> statement-breakpoint
-- Nobody knows any more which tags only claims made known: all of them are kept.
UPDATE `devices` SET `entitled_at` = `registered_at`;--> statement-breakpoint
CREATE INDEX `devices_by_ended_plan` ON `devices` (`ended_plan_id`);
