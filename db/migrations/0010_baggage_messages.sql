CREATE TABLE `removed_bags` (
	`id` integer PRIMARY KEY NOT NULL,
	`licence_plate` text NOT NULL,
	`flight_date` text NOT NULL,
	`flights` text NOT NULL,
	`cabin` text,
	`ends_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `removed_bags_by_end` ON `removed_bags` (`ends_at`);--> statement-breakpoint
ALTER TABLE `webhooks` ADD `scopes` text DEFAULT '[]' NOT NULL;