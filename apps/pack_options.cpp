#include "pack_options.h"

#include "options.h"

#include <cstdint>
#include <limits>

namespace sluice::app {

void add_pack_command(CLI::App& command, PackCommandOptions& options, std::string& on_error) {
  PackSourceOptions& source = options.source;
  add_data(command, source.data)->required(false);
  CLI::Option* const list = add_list(command, source.list);
  CLI::Option* const tar =
      add_tar(command, source.tar,
              "tar archives, or a pattern of their names in quotes: files of one stem are one "
              "sample, and its image is packed");
  add_path(command, source.path)->needs(list);
  command
      .add_option("--columns", source.columns,
                  "columns of --list or --tar to keep, with commas between (default: all that are "
                  "text)")
      ->delimiter(',')
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("NAMES");
  add_offsets(command, source.offsets)->needs(tar);
  command.add_option("--out", options.out, "folder for the packs; made if it is missing")
      ->required()
      ->type_name("DIR");
  command
      .add_option("--pack-size", options.pack_bytes,
                  "size of the files in one pack, such as 500KB, 256MB or 1GB (default: 256MB). "
                  "About three times as much memory is needed")
      ->transform(size_in_bytes())
      ->type_name("SIZE");
  command.add_option("--count", options.count, "number of files, the first ones (default: all)")
      ->check(number_from(std::int64_t{1}, std::numeric_limits<std::int64_t>::max()))
      ->type_name("N");
  add_threads(command, options.threads,
              "threads that pack, 1 to 1024 (default: all CPUs of the process)");
  command.add_flag("--resume", options.resume,
                   "continues a run with the same files that ended early: keeps the packs in --out "
                   "and writes the rest");
  command.add_flag("--verify", options.verify,
                   "reads the packs back at the end, and compares the bytes, the columns and all "
                   "pixels with those of the files; costs about four full decodes of each file");
  command
      .add_option("--on-error", on_error,
                  "what to do with files that cannot be read: fail (default: stop, exit status 1) "
                  "or skip. Files that cannot be decoded are kept as they are")
      ->check(one_of({"fail", "skip"}))
      ->type_name("WHAT");
  add_all_names(command);
  command.footer(
      "Packs are read with --pack by augment, bench, cat and graph, and with pack_in by programs. "
      "JPEG files in them decode faster, to the same pixels, and sluice unpack gives "
      "back the same files. Columns: name and label (the number of the class) of a folder; name "
      "and "
      "the columns of a list; name and the text of an archive's samples, whose cls becomes label.");
}

void add_unpack_command(CLI::App& command, UnpackOptions& options) {
  command
      .add_option("packs", options.packs,
                  "packs that sluice pack wrote: folders of packs, or files with the ending .pack")
      ->required()
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("PACK");
  command
      .add_option("--out", options.out,
                  "folder for the files. Made if it is missing, and empty unless --overwrite")
      ->required()
      ->type_name("DIR");
  command.add_flag("--overwrite", options.overwrite,
                   "writes into --out even if it holds files; replaces files of the same names");
  command.add_flag("--numbered", options.numbered,
                   "names the files by their numbers, not by the column name");
  add_threads(command, options.threads);
  add_all_names(command);
}

}  // namespace sluice::app
