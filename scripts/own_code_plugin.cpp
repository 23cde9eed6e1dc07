// SPDX-License-Identifier: Apache-2.0
// A plugin for clang-tidy: the checks look at our own code only. clang-tidy 14 instantiates and
// searches all templates of the included libraries and then drops what it finds there; for a file
// that includes Eigen that is three quarters of its time. The findings in our code are the same.

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/FrontendPluginRegistry.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaConsumer.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace {

bool in_system_header(const clang::Decl& declaration, const clang::SourceManager& sources) {
  const clang::SourceLocation place = sources.getExpansionLoc(declaration.getLocation());
  return place.isInvalid() || sources.isInSystemHeader(place);
}

class OwnCode : public clang::SemaConsumer {
 public:
  void InitializeSema(clang::Sema& sema) override { sema_ = &sema; }
  void ForgetSema() override { sema_ = nullptr; }

  /// Forgets the library functions that the compiler would instantiate at the end of the file. Not
  /// those of types without linkage, which would count as used but not defined.
  bool HandleTopLevelDecl(clang::DeclGroupRef /*group*/) override {
    if (sema_ == nullptr) return true;
    auto& pending = sema_->PendingInstantiations;
    const auto is_foreign = [this](const clang::Sema::PendingImplicitInstantiation& item) {
      auto* function = llvm::dyn_cast<clang::FunctionDecl>(item.first);
      return function != nullptr && !function->isConstexpr() && function->isExternallyVisible() &&
             !sema_->isExternalWithNoLinkageType(function) &&
             in_system_header(*function, sema_->getSourceManager());
    };
    pending.erase(std::remove_if(pending.begin(), pending.end(), is_foreign), pending.end());
    return true;
  }

  /// Runs before the checks and restricts them to our declarations.
  void HandleTranslationUnit(clang::ASTContext& context) override {
    std::vector<clang::Decl*> own;
    for (clang::Decl* declaration : context.getTranslationUnitDecl()->decls()) {
      if (!in_system_header(*declaration, context.getSourceManager())) own.push_back(declaration);
    }
    context.setTraversalScope(own);
  }

 private:
  clang::Sema* sema_ = nullptr;
};

class Action : public clang::PluginASTAction {
 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& /*compiler*/,
                                                        llvm::StringRef /*file*/) override {
    return std::make_unique<OwnCode>();
  }
  bool ParseArgs(const clang::CompilerInstance& /*compiler*/,
                 const std::vector<std::string>& /*arguments*/) override {
    return true;
  }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

const clang::FrontendPluginRegistry::Add<Action> registration("own-code",
                                                              "checks our own code only");

}  // namespace
