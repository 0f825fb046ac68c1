#include "feature_log.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include <array>

using namespace llvm;

namespace harness {

FeatureLog::FeatureLog(const std::string &Path) : File(std::fopen(Path.c_str(), "we")) {
  if (File == nullptr) {
    report_fatal_error(Twine("inline plugin: cannot write ") + Path, /*gen_crash_diag=*/false);
  }
}

FeatureLog::~FeatureLog() {
  const bool Torn = std::ferror(File) != 0; // what failed before is not among the reasons of fclose
  if (std::fclose(File) != 0 || Torn) {
    report_fatal_error("inline plugin: the features could not be written", /*gen_crash_diag=*/false);
  }
}

void FeatureLog::write(uint64_t Position, PolicyContext &Site, bool Inline) {
  std::array<int64_t, NumStaticFeatures + 3> Row{};
  Row[0] = static_cast<int64_t>(Position);
  for (size_t Index = 0; Index < NumStaticFeatures; ++Index) {
    Row[Index + 1] = Site.featureAt(Index);
  }
  Row[NumStaticFeatures + 1] = Inline;
  Row[NumStaticFeatures + 2] = Site.defaultDecision();
  (void)std::fwrite(Row.data(), sizeof Row, 1, File);
}

} // namespace harness
